internal import FilesModels

/// What holds wherever files are kept.
enum FileRules {
    typealias Failure = Files.Business.Model.Failure

    /// Bytes of a user id: in hexadecimal it is the name of a directory, which takes 255.
    static let userIdLength = 120

    static func check(_ userId: String) throws(Failure) {
        guard !userId.isEmpty else { throw .notAuthenticated }
        guard userId.utf8.count <= userIdLength else {
            throw Failure(
                code: .invalidName, message: "the user id has \(userId.utf8.count) bytes; use at most \(userIdLength)")
        }
    }

    /// A name of its own for each user id, and of a directory whatever the id looks like.
    static func folderName(of userId: String) -> String {
        let digits = Array("0123456789abcdef")
        return "user-" + String(userId.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
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
