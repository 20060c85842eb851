public import Relux

extension StartupOrchestration {
    /// Hands all that the module hears to its runner.
    public actor Saga: Relux.Saga {
        private let runner: Runner

        init(_ runner: Runner) {
            self.runner = runner
        }

        public func apply(_ effect: any Relux.Effect) async {
            await runner.handle(effect)
        }
    }
}
