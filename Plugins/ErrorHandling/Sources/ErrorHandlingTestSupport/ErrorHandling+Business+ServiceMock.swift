public import ErrorHandlingModels
public import ErrorHandlingServiceInt
public import ReluxTestKit

extension ErrorHandling.Business {
    /// A service that keeps errors in memory, all at the second 0, or fails as a test has set.
    public final class ServiceMock: IService, MockService {
        public enum Call: Sendable, Equatable {
            case track(Model.TrackedError)
            case recent(limit: Int)
        }

        public let mocked: Mocked<Call, [Model.Entry], Model.Failure>

        public init(entries: [Model.Entry] = [], failure: Model.Failure? = nil) { mocked = Mocked(entries, failure: failure) }

        public func track(_ error: Model.TrackedError) async throws(Model.Failure) -> Model.Entry {
            try perform(.track(error)) { entries in
                let entry = Model.Entry(error: error, trackedAt: 0)
                entries.append(entry)
                return entry
            }
        }

        public func recent(limit: Int) async throws(Model.Failure) -> [Model.Entry] {
            try perform(.recent(limit: limit)) { Array($0.suffix(max(0, limit))) }
        }
    }
}
