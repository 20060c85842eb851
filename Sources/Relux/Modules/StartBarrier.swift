internal import Synchronization

extension Relux {
    /// Keeps users out as long as a cluster is not fit for use: a module has one (``Module/startBarrier``), opens it, and says why it has not.
    ///
    /// The cluster's start is not over before all barriers of its modules are open; until then the ingress takes only what their declarations let
    /// in. A start that is over does not come back: closing a barrier later keeps nobody out, and only its text is shown then. Any thread may
    /// call; nothing waits.
    public final class StartBarrier: Sendable {
        /// A mode that excludes nothing, although some actions exclude others: it is probably written wrongly.
        public struct UnknownMode: Codable, Sendable, Hashable {
            public let mode: String
            /// The modes that some actions exclude, sorted; at most ``knownLimit``.
            public let known: [String]

            /// - Parameter known: more than ``knownLimit`` are cut.
            public init(mode: String, known: some Sequence<String>) {
                self.mode = mode.cut(to: StartBarrier.textLimit)
                self.known = known.sorted().prefix(Self.knownLimit).map { $0.cut(to: StartBarrier.textLimit) }
            }

            public static let knownLimit = 16
        }

        /// Where it stands, for people; `relux status` shows it.
        public struct State: Codable, Sendable, Hashable {
            public let isOpen: Bool
            /// It is closed, and nothing that goes on by itself will open it.
            public let isStuck: Bool
            /// Names the action that the barrier waits for, or the failure with its remedy; if the barrier is open, the actions that go on. At most
            /// ``StartBarrier/textLimit`` bytes.
            public let text: String
            /// The orchestrator is in a mode that no action knows.
            public let unknownMode: UnknownMode?

            init(isOpen: Bool, isStuck: Bool, _ text: String, _ unknownMode: UnknownMode? = nil) {
                self.unknownMode = unknownMode
                self.isOpen = isOpen
                self.isStuck = isStuck
                self.text = text.cut(to: StartBarrier.textLimit)
            }
        }

        /// UTF-8 bytes; a longer text is cut.
        public static let textLimit = 1_024

        private struct Watched: Sendable {
            var state: State
            var listener: (@Sendable (State) -> Void)?
        }
        private let watched: Mutex<Watched>

        /// - Parameter why: what is waited for before anything has happened.
        public init(_ why: String) {
            watched = Mutex(Watched(state: State(isOpen: false, isStuck: false, why)))
        }

        public var state: State { watched.withLock { $0.state } }

        /// - Parameter isStuck: nothing that goes on by itself will open it; the text names the remedy.
        public func close(_ why: String, isStuck: Bool = false) { set(isOpen: false, isStuck: isStuck, why) }

        /// - Parameter remark: what goes on; empty when nothing does.
        public func open(_ remark: String = "") { set(isOpen: true, isStuck: false, remark) }

        /// Changes the text; the barrier stays as open or closed as it is.
        public func remark(_ text: String) {
            watched.withLock { watched in
                let next = State(isOpen: watched.state.isOpen, isStuck: watched.state.isStuck, text, watched.state.unknownMode)
                Self.change(&watched, to: next)
            }
        }

        /// Notes the mode that no action knows; nil when they know it, or there is none. The barrier stays as open or closed as it is.
        public func note(_ unknownMode: UnknownMode?) {
            watched.withLock { watched in
                let state = watched.state
                Self.change(&watched, to: State(isOpen: state.isOpen, isStuck: state.isStuck, state.text, unknownMode))
            }
        }

        /// Tells of the present state and of every change, in order, under a lock: short, and nothing of the barrier. The last listener alone.
        package func observe(_ listener: @escaping @Sendable (State) -> Void) {
            watched.withLock { watched in
                watched.listener = listener
                listener(watched.state)
            }
        }

        private func set(isOpen: Bool, isStuck: Bool, _ text: String) {
            watched.withLock { Self.change(&$0, to: State(isOpen: isOpen, isStuck: isStuck, text, $0.state.unknownMode)) }
        }

        private static func change(_ watched: inout Watched, to next: State) {
            guard next != watched.state else { return }
            watched.state = next
            watched.listener?(next)
        }
    }
}
