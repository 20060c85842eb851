internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import Relux

extension ErrorHandling.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? {
        [ErrorHandling.Business.Action.self, ErrorHandling.Business.Effect.self]
    }

    func reduce(with action: any Relux.Action) async {
        switch action {
        case ErrorHandling.Business.Action.tracked(let entry): add(entry)
        case ErrorHandling.Business.Effect.clear: clear()
        default: break
        }
    }
}
