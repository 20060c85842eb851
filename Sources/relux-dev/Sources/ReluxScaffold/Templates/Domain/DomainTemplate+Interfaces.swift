extension DomainTemplate {
    static let interfaces: [(path: String, text: String)] = [
        (
            "Sources/__D__ReluxInt/Exports.swift",
            ##"""
            // Who listens to __D__ imports its interface and nothing more: the models of its effects come with it.
            @_exported public import __D__Models
            """##
        ),
        (
            "Sources/__D__ReluxInt/__D__.contract.json",
            ##"""
            {
              "snapshots" : [

              ],
              "topics" : [

              ]
            }
            """##
        ),
        (
            "Sources/__D__ReluxInt/__D__+Business+Action.swift",
            ##"""
            public import __D__Models
            public import Relux

            extension __D__.Business {
                /// What the flow tells its state.
                public enum Action: Relux.Action {
                    case shown(items: [__D__.Business.Model.Item])
                    case failed(error: __D__.Business.Model.Failure)
                }
            }
            """##
        ),
        (
            "Sources/__D__ReluxInt/__D__+Business+Effect.swift",
            ##"""
            public import __D__Models
            public import Relux

            extension __D__.Business {
                /// What can be asked of __D__, and what it tells others.
                public enum Effect: Relux.Effect {
                    /// Loads and shows the items; answers with them.
                    case load
                    /// Keeps one more; answers with all.
                    case add(title: String)
                    /// Shows the page of the items.
                    case show

                    case itemsChanged(items: [__D__.Business.Model.Item])
                    case itemsFailed(error: __D__.Business.Model.Failure)
                }
            }
            """##
        ),
        (
            "Sources/__D__ReluxInt/__D__+Business+IRouter.swift",
            ##"""
            public import __D__Models
            public import Relux

            extension __D__.Business {
                /// Where __D__ sends the user. The composition root says how.
                public protocol IRouter: Sendable {
                    func set__D__Page(_ page: __D__.UI.Model.Page) -> any Relux.Action
                }
            }

            extension __D__.UI.Model {
                public enum Page: Sendable, Equatable, Codable {
                    case list
                }
            }
            """##
        ),
        (
            "Sources/__D__ReluxInt/__D__+Business+IState.swift",
            ##"""
            public import __D__Models
            public import Relux

            extension __D__.Business {
                /// The items that are shown.
                @MainActor
                public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == __D__.Business.Snapshot {}

                public struct Snapshot: Relux.SharedSnapshot {
                    public let items: [__D__.Business.Model.Item]
                    /// Why the last operation was refused; nil after a success.
                    public let failure: __D__.Business.Model.Failure?

                    public init(items: [__D__.Business.Model.Item], failure: __D__.Business.Model.Failure?) {
                        self.items = items
                        self.failure = failure
                    }
                }
            }
            """##
        ),
    ]
}
