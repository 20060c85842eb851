internal import FilesModels

/// What holds wherever files are kept.
enum FileRules {
    typealias Failure = Files.Business.Model.Failure

    static func check(_ userId: String) throws(Failure) {
        guard !userId.isEmpty else { throw .notAuthenticated }
    }

    static func check(_ name: String, of userId: String) throws(Failure) {
        try check(userId)
        guard Files.Business.Model.File.isName(name) else {
            throw Failure(
                code: .invalidName,
                message: "'\(name.prefix(100))' is no file's name: it takes 1 to \(Files.Business.Model.File.nameLength) of A-Z a-z 0-9 . _ -,"
                    + " no dot first")
        }
    }

    static func check(size: Int, of name: String) throws(Failure) {
        let limit = Files.Business.Model.File.sizeLimit
        guard size <= limit else {
            throw Failure(code: .tooLarge, message: "'\(name)' has \(size) bytes, a file at most \(limit); save it in parts")
        }
    }

    static func notFound(_ name: String) -> Failure {
        Failure(code: .notFound, message: "there is no file '\(name)'; open shows those that exist")
    }
}
