/// The files of an orchestrator, with `__O__` for its name and marks for what there is once for each domain.
enum OrchestratorTemplate {
    /// One domain's handler.
    static let handler = ##"""
        __IMPORTS__
        internal import Relux

        extension __O__.Saga {
            func handle__D__Effect(_ effect: any Relux.Effect) async {
                switch effect as? __D__.Business.Effect {
                default:
                    break
                }
            }
        }
        """##
}
