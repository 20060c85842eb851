// Seed 0, "Module", as printed.
import Relux

extension SessionOrchestration {
    public struct Module: Relux.Module {
        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]
        
        public init() {
            self.sagas = [Saga()]
        }
    }
}
