extension DomainTemplate {
    static let testSupport: [(path: String, text: String)] = [
        (
            "Sources/__D__TestSupport/__D__+Business+RouterStub.swift",
            ##"""
            public import __D__Models
            public import __D__ReluxInt
            public import Relux

            extension __D__.Business {
                /// A router whose actions do nothing but appear in a test's log.
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
            public import ReluxTestKit
            public import __D__Models
            public import __D__ServiceInt

            extension __D__.Business {
                /// A service that keeps items in memory, or fails as a test has set, and records what it was asked.
                public final class ServiceMock: IService, MockService {
                    public enum Call: Sendable, Equatable {
                        case items
                        case add(title: String)
                    }

                    public let mocked: Mocked<Call, [Model.Item], Model.Failure>

                    public init(items: [Model.Item] = [], failure: Model.Failure? = nil) { mocked = Mocked(items, failure: failure) }

                    public func items() async throws(Model.Failure) -> [Model.Item] {
                        try perform(.items) { $0 }
                    }

                    public func add(title: String) async throws(Model.Failure) -> [Model.Item] {
                        try perform(.add(title: title)) { items in
                            items.append(Model.Item(id: items.count + 1, title: title))
                            return items
                        }
                    }
                }
            }
            """##
        ),
    ]
}
