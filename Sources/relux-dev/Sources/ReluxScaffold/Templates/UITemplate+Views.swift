extension UITemplate {
    static let views: [(path: String, text: String)] = [
        (
            "Sources/__D__UI/__D__+UI+ViewState.swift",
            ##"""
            internal import __D__ReluxInt
            internal import Observation
            internal import Relux

            extension __D__.UI {
                /// What the views read: the latest snapshot of __D__, and what was last said to the person.
                @MainActor
                @Observable
                final class ViewState: Relux.UIState {
                    private let relayed: Relux.UI.SnapshotView<__D__.Business.Snapshot>?
                    /// The answer to the last line typed; empty if the view shows it already.
                    var notice = ""

                    init(_ dispatcher: Relux.Dispatcher) { relayed = dispatcher.view(of: __D__.Business.Snapshot.self) }

                    /// Nil until __D__ has spoken.
                    var snapshot: __D__.Business.Snapshot? { relayed?.latest }
                    var isStale: Bool { relayed?.isStale ?? true }
                }
            }
            """##
        ),
        (
            "Sources/__D__UI/__D__UIRouter.swift",
            ##"""
            public import __D__ReluxInt
            public import __D__UIAPI
            public import Relux

            /// The views of __D__, made from relayed snapshots; what is typed becomes effects of __D__'s interface.
            public struct __D__UIRouter: __D__UIProviding {
                let dispatcher: Relux.Dispatcher
                let state: __D__.UI.ViewState

                /// - Parameter dispatcher: of the module `__D__UI`, or of any node that relays the snapshot of __D__.
                @MainActor
                public init(dispatcher: Relux.Dispatcher) {
                    self.dispatcher = dispatcher
                    state = __D__.UI.ViewState(dispatcher)
                }

                @MainActor
                public func view(for page: __D__.UI.Model.Page) -> __D__.UI.View {
                    switch page {
            __PAGES__
                    }
                }
            }

            extension __D__UIRouter {
                /// What may be typed on every page.
                private static let help = "__HELP__"

            __VIEWS__

                /// What the snapshot says, a line for each thing.
                @MainActor
                private var contents: [String] {
                    guard let snapshot = state.snapshot else { return ["__D__ has not spoken yet."] }
                    var lines: [String] = []
            __LINES__
                    return lines
                }

                @MainActor
                private var heading: String { state.isStale ? "__D__ (stale: it is not there)" : "__D__" }

                @MainActor
                private var notice: [String] { state.notice.isEmpty ? [] : ["", state.notice] }
            }
            """##
        ),
        (
            "Sources/__D__UI/__D__UIRouter+Enter.swift",
            ##"""
            public import __D__ReluxInt
            internal import __D__UIAPI
            internal import Relux

            extension __D__UIRouter {
                @MainActor
                public func enter(_ line: String, on page: __D__.UI.Model.Page) async -> __D__.UI.Model.Page {
                    state.notice = ""
                    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
                    guard let verb = words.first else { return page }
                    let rest = words.count > 1 ? String(words[1]) : ""
                    switch verb {
            __VERBS__
                    default: state.notice = "'\(line.prefix(40))' says nothing here; type one of: \(view(for: page).help)"
                    }
                    return page
                }

                /// A refusal is shown as a notice; a success shows in the view.
                @MainActor
                private func send(_ effect: __D__.Business.Effect) async {
                    let result = await dispatcher.actions { effect }
                    if let failure = result.failures.first {
                        state.notice = failure.message
                    } else if !result.outcomes.contains(where: { $0.recipient.module == "__D__" }) {
                        // Others may hear the effect too; only __D__ can do it.
                        state.notice = "nobody took it: there is no __D__ in this cluster"
                    }
                }
            }
            """##
        ),
    ]
}
