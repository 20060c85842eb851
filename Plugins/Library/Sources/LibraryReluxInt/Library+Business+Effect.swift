public import LibraryModels
public import Relux

extension Library.Business {
    /// What can be asked of the library, and what it tells others. What it tells is what its root feature delegates, and nothing else.
    public enum Effect: Relux.Effect {
        /// Fills in the login form and sends it off: `loginRequested` is told, and `opened` or `libraryFailed` follow.
        case signIn(name: String, password: Secret<String>)
        /// Opens the library for a reader whom Auth has accepted; answers with the user id.
        case open(userId: String)
        /// Tells the login form that its reader was not accepted.
        case refuseLogin(reason: String)
        /// Ends the reader's session here. Without one nothing happens. Orchestrators send it.
        case close
        /// Puts a file in, over one with the same id; answers with it.
        case add(id: String, title: String, contents: String)
        /// Answers with the reader's files.
        case list
        /// Starts to play a file, instead of one that plays; answers with it. `played` is told when it has been played to its end.
        case play(id: String)
        /// Ends the playing. Without any nothing happens.
        case stop
        case delete(id: String)
        /// Deletes whatever the library keeps of a reader.
        case forgetReader(userId: String)

        /// Somebody wants to log in; an orchestrator asks Auth.
        case loginRequested(name: String, password: Secret<String>)
        case opened(userId: String)
        case played(file: Library.Business.Model.File)
        case deleted(file: Library.Business.Model.File)
        /// The reader was refused meanwhile; the library has closed. A new login may help.
        case authenticationRequired(userId: String)
        case libraryFailed(error: Library.Business.Model.Failure)
    }
}
