internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import Synchronization

/// One question over HTTP and its answer, or the end of the patience.
///
/// Each has a connection of its own. On one that is kept open, a question that was heard and not answered is put again in silence, and when nobody
/// listens any more the second time, all that is left to see is that nobody listens.
struct HTTPExchange: Sendable {
    enum Outcome: Sendable {
        case answer(status: Int, body: Data)
        /// The connection was not made: nobody has heard the question.
        case unheard(String)
        /// The connection broke, or something else went wrong behind it.
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
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let asked = request
        let isOneAddress = Self.isAddress(url.host ?? "")
        return await withCheckedContinuation { continuation in
            let slot = Slot(continuation)
            let task = session.dataTask(with: asked) { data, response, error in
                slot.resume(Self.outcome(data, response, error, isOneAddress: isOneAddress))
            }
            // Ends by itself at the limit at the latest.
            let timer = Task {
                try await Task.sleep(for: limit)
                slot.resume(.timedOut)
                task.cancel()
            }
            slot.onResume { timer.cancel() }
            task.resume()
        }
    }

    /// Whether the host is a number. A name may stand for several addresses, `localhost` for `::1` and `127.0.0.1`.
    static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return inet_pton(AF_INET, bare, &four) == 1 || inet_pton(AF_INET6, bare, &six) == 1
    }

    private static func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?, isOneAddress: Bool) -> Outcome {
        if let response = response as? HTTPURLResponse, error == nil {
            return .answer(status: response.statusCode, body: data ?? Data())
        }
        guard let error = error as? URLError else { return .broken(error.map { "\($0)" } ?? "no HTTP answer") }
        switch error.code {
        case .timedOut: return .timedOut
        // Said, too, of a connection that broke when an earlier address of the same name had refused one.
        case .cannotConnectToHost where isOneAddress: return .unheard("nobody listens there")
        case .cannotConnectToHost: return .broken("nobody listens there, or the connection broke; with a number as its host it could be told which")
        case .cannotFindHost, .dnsLookupFailed: return .unheard("there is no such host")
        default: return .broken("the connection broke (\(error.localizedDescription))")
        }
    }

    /// A continuation that whoever is first resumes.
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
