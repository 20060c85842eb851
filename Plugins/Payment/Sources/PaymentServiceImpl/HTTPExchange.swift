internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// One question over HTTP and its answer, or the end of the patience.
struct HTTPExchange: Sendable {
    enum Outcome: Sendable {
        case answer(status: Int, body: Data)
        /// The connection was not made: nobody has heard the question.
        case unheard(String)
        /// The connection broke, or something else went wrong behind it.
        case broken(String)
        case timedOut
    }

    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        session = URLSession(configuration: configuration)
    }

    /// Returns within `limit`, whatever the other side does and whether the session heeds its own limit or not.
    func post(_ body: Data, to url: URL, headers: [String: String], within limit: Duration) async -> Outcome {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.timeoutInterval = limit / .seconds(1)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (asked, session) = (request, session)
        return await withCheckedContinuation { continuation in
            let slot = Slot(continuation)
            let task = session.dataTask(with: asked) { data, response, error in
                slot.resume(Self.outcome(data, response, error))
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

    private static func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> Outcome {
        if let response = response as? HTTPURLResponse, error == nil {
            return .answer(status: response.statusCode, body: data ?? Data())
        }
        guard let error = error as? URLError else { return .broken(error.map { "\($0)" } ?? "no HTTP answer") }
        switch error.code {
        case .timedOut: return .timedOut
        case .cannotConnectToHost: return .unheard("nobody listens there")
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
