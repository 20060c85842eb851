extension DomainTemplate {
    static let testSupport: [(path: String, text: String)] = [
        (
            "Sources/__D__TestSupport/__D__+Business+RouterStub.swift",
            ##"""
            public import __D__Models
            public import __D__ReluxInt
            public import Relux

            extension __D__.Business {
                /// A router whose pages lead nowhere: its actions only show up in a test's log.
                public struct RouterStub: IRouter {
                    public enum Action: Relux.Action, Equatable {
                        case set(__D__.UI.Model.Page)
                    }

                    public init() {}

                    public func set__D__Page(_ page: __D__.UI.Model.Page) -> any Relux.Action { Action.set(page) }
                }
            }
            """##
        ),
        (
            "Sources/__D__TestSupport/__D__+Business+ServiceMock.swift",
            ##"""
            internal import Synchronization
            public import __D__Models
            public import __D__ServiceInt

            extension __D__.Business {
                /// A service that keeps items in memory, or fails as a test has set, and records what it was asked.
                public final class ServiceMock: IService {
                    public enum Call: Sendable, Equatable {
                        case items
                        case add(title: String)
                    }

                    private struct Contents {
                        var calls: [Call] = []
                        var items: [Model.Item]
                        var failure: Model.Failure?
                    }

                    private let contents: Mutex<Contents>

                    public init(items: [Model.Item] = [], failure: Model.Failure? = nil) {
                        self.contents = Mutex(Contents(items: items, failure: failure))
                    }

                    public var calls: [Call] { contents.withLock { $0.calls } }

                    /// What every later call fails with; `nil` lets them succeed again.
                    public func fail(_ failure: Model.Failure?) {
                        contents.withLock { $0.failure = failure }
                    }

                    public func items() async throws(Model.Failure) -> [Model.Item] {
                        try perform(.items) { $0 }.get()
                    }

                    public func add(title: String) async throws(Model.Failure) -> [Model.Item] {
                        try perform(.add(title: title)) { items in
                            items.append(Model.Item(id: items.count + 1, title: title))
                            return items
                        }.get()
                    }

                    private func perform(_ call: Call, _ body: (inout [Model.Item]) -> [Model.Item]) -> Result<[Model.Item], Model.Failure> {
                        contents.withLock { contents in
                            contents.calls.append(call)
                            if let failure = contents.failure { return .failure(failure) }
                            return .success(body(&contents.items))
                        }
                    }
                }
            }
            """##
        ),
    ]
}
