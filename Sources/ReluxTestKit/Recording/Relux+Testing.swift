public import Relux

extension Relux {
    /// The recorders under the names that they have upstream.
    public enum Testing {
        public typealias Logger = RecordingLogger

        /// Records the actions and the effects of these types that reach it; two of them in one node take different phantoms.
        public actor MockModule<A: Relux.Action, E: Relux.Effect, Phantom>: Relux.Module {
            private let mock: ReluxTestKit.MockModule<(A, E, Phantom)>
            public nonisolated let actionsLogger: State
            public nonisolated let effectsLogger: Saga
            public nonisolated var moduleID: ModuleID { mock.moduleID }
            public nonisolated var states: [any Relux.AnyState] { mock.states }
            public nonisolated var sagas: [any Relux.Saga] { mock.sagas }

            public init() async {
                mock = ReluxTestKit.MockModule(as: (A, E, Phantom).self)
                actionsLogger = State(mock)
                effectsLogger = Saga(mock)
            }

            public struct State: Sendable {
                private let mock: ReluxTestKit.MockModule<(A, E, Phantom)>
                init(_ mock: ReluxTestKit.MockModule<(A, E, Phantom)>) { self.mock = mock }
                public var actions: [A] { mock.reduced.compactMap { $0 as? A } }
                public var cleanups: Int { mock.cleanups }
            }

            public struct Saga: Sendable {
                private let mock: ReluxTestKit.MockModule<(A, E, Phantom)>
                init(_ mock: ReluxTestKit.MockModule<(A, E, Phantom)>) { self.mock = mock }
                public var effects: [E] { mock.effects.compactMap { $0 as? E } }
            }
        }
    }
}
