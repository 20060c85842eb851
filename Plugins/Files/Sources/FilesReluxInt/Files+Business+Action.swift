public import FilesModels
public import Relux

extension Files.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case opened(userId: String, files: [Files.Business.Model.File])
        case closed
        case failed(error: Files.Business.Model.Failure)
    }
}
