internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import Synchronization

/// One HTTP request and its answer, or a timeout.
///
/// Each has a connection of its own. On a kept connection the session repeats an unanswered request silently, and if nobody
/// listens the second time, the caller learns only that.
struct HTTPExchange: Sendable {
    /// The most bytes of an answer that are read; the service's answers have less than a hundredth of it.
    static let bodyLimit = 64 * 1024

    enum Outcome: Sendable {
        /// One byte above the limit stands for all beyond it.
        case answer(status: Int, body: Data)
        /// The connection failed: nobody received the request.
        case unheard(String)
        /// The connection broke, or the exchange failed after it was made.
        case broken(String)
        case timedOut
    }

    /// Returns within `limit`, whatever the other side does and whether the session heeds its own limit or not.
    func post(_ body: Data, to url: URL, headers: [String: String], within limit: Duration) async -> Outcome {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.timeoutInterval = limit / .seconds(1)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        let asked = request
        let isOneAddress = Self.isAddress(url.host ?? "")
        return await withCheckedContinuation { continuation in
            let slot = Slot(continuation)
            let reader = Reader { slot.resume(Self.outcome($0, $1, $2, isOneAddress: isOneAddress)) }
            // Keeps its reader until its one task has ended.
            let session = URLSession(configuration: configuration, delegate: reader, delegateQueue: nil)
            let task = session.dataTask(with: asked)
            // Ends by itself at the limit at the latest.
            let timer = Task {
                try await Task.sleep(for: limit)
                slot.resume(.timedOut)
                task.cancel()
            }
            slot.onResume { timer.cancel() }
            task.resume()
            session.finishTasksAndInvalidate()
        }
    }

    /// Whether the host is a number. A name may stand for several addresses, `localhost` for `::1` and `127.0.0.1`.
    static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return inet_pton(AF_INET, bare, &four) == 1 || inet_pton(AF_INET6, bare, &six) == 1
    }

    private static func outcome(_ data: Data, _ response: URLResponse?, _ error: (any Error)?, isOneAddress: Bool) -> Outcome {
        if let response = response as? HTTPURLResponse, error == nil {
            return .answer(status: response.statusCode, body: data)
        }
        guard let error = error as? URLError else { return .broken(error.map { "\($0)" } ?? "no HTTP answer") }
        switch error.code {
        case .timedOut: return .timedOut
        // Also reported if a connection broke after an earlier address of the same name had refused one.
        case .cannotConnectToHost where isOneAddress: return .unheard("nobody listens there")
        case .cannotConnectToHost: return .broken("nobody listens there, or the connection broke; with a number as its host it could be told which")
        case .cannotFindHost, .dnsLookupFailed: return .unheard("there is no such host")
        default: return .broken("the connection broke (\(error.localizedDescription))")
        }
    }

    /// Reads one answer, up to the limit.
    private final class Reader: NSObject, URLSessionDataDelegate {
        private let body = Mutex(Data())
        private let done: @Sendable (Data, URLResponse?, (any Error)?) -> Void

        init(_ done: @escaping @Sendable (Data, URLResponse?, (any Error)?) -> Void) { self.done = done }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) { completionHandler(.allow) }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let read = body.withLock { body in
                body.append(data.prefix(HTTPExchange.bodyLimit + 1 - body.count))
                return body
            }
            guard read.count > HTTPExchange.bodyLimit else { return }
            done(read, dataTask.response, nil)
            dataTask.cancel()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            done(body.withLock { $0 }, task.response, error)
        }
    }

    /// A continuation that the first caller resumes.
    private final class Slot: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Outcome, Never>?
            var cleanup: (@Sendable () -> Void)?
        }
        private let state: Mutex<State>

        init(_ continuation: CheckedContinuation<Outcome, Never>) { state = Mutex(State(continuation: continuation)) }

        func onResume(_ cleanup: @escaping @Sendable () -> Void) { state.withLock { $0.cleanup = cleanup } }

        func resume(_ outcome: Outcome) {
            let taken = state.withLock { state in
                defer { state = State() }
                return state
            }
            taken.continuation?.resume(returning: outcome)
            taken.cleanup?()
        }
    }
}
