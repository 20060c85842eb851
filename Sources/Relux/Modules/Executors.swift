extension Relux {
    /// The executors of its own that a module runs on: those of its sagas and states that are actors.
    package struct Executors: Sendable {
        private let actors: [any Actor]

        package init(sagas: [any Saga], states: [any AnyState]) {
            actors = sagas.compactMap { $0 as? any Actor } + states.compactMap { $0 as? any Actor }
        }

        /// Returns when each executor has let a call in. A waiting executor does so; a blocked one does not, and this waits as long.
        package func answer() async {
            for actor in actors { await Self.knock(on: actor) }
        }

        private static func knock(on actor: isolated any Actor) async {}
    }
}
