public import FilesModels
public import Relux

extension Files.Business {
    /// What can be asked of Files, and what it tells others. Files belong to the user of the latest `open`.
    public enum Effect: Relux.Effect {
        /// Answers with the user's files.
        case open(userId: String)
        /// What is stored stays. Orchestrators send it.
        case close
        /// Writes a file, new or changed; answers with it.
        case save(name: String, text: String)
        /// Answers with the contents.
        case read(name: String)
        case remove(name: String)
        /// Removes all that is stored of a user.
        case deleteAll(userId: String)

        case saved(file: Files.Business.Model.File, userId: String)
        case removed(name: String, userId: String)
        case filesFailed(error: Files.Business.Model.Failure)
    }
}
