public import ErrorHandlingModels
public import ErrorHandlingServiceInt
internal import Synchronization

extension ErrorHandling.Business {
    /// A service that keeps errors in memory, all at the second 0, or fails as a test has set.
    public final class ServiceMock: IService {
        private struct Contents {
            var entries: [Model.Entry]
            var failure: Model.Failure?
        }

        private let contents: Mutex<Contents>

        public init(entries: [Model.Entry] = [], failure: Model.Failure? = nil) {
            self.contents = Mutex(Contents(entries: entries, failure: failure))
        }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) {
            contents.withLock { $0.failure = failure }
        }

        public func track(_ error: Model.TrackedError) async throws(Model.Failure) -> Model.Entry {
            try perform { entries in
                let entry = Model.Entry(error: error, trackedAt: 0)
                entries.append(entry)
                return entry
            }.get()
        }

        public func recent(limit: Int) async throws(Model.Failure) -> [Model.Entry] {
            try perform { Array($0.suffix(max(0, limit))) }.get()
        }

        private func perform<R>(_ body: (inout [Model.Entry]) -> R) -> Result<R, Model.Failure> {
            contents.withLock { contents in
                if let failure = contents.failure { return .failure(failure) }
                return .success(body(&contents.entries))
            }
        }
    }
}
