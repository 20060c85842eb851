import Foundation
import ReluxLint

/// The `relux` of the same checkout, which knows how to ask a cluster.
struct ReluxProgram {
    let path: String

    /// Beside this program, then in the build that the tools' own lies in (`.build/debug` for `.build/dev/debug`), then in PATH.
    /// - Throws: `tool.missing`.
    static func find() throws(LintError) -> ReluxProgram {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let build = own.range(of: "/.build/").map { ["\(own[..<$0.upperBound])debug"] } ?? []
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places = ([own] + build + path).map { "\($0)/relux" }
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw LintError(
                "tool.missing", "relux, which asks the cluster, is neither beside relux-dev nor in PATH",
                hint: "build it: swift build --product relux", status: 3)
        }
        return ReluxProgram(path: found)
    }

    /// The output of `relux status --json`.
    /// - Throws: what it says, with its exit status.
    func status(_ options: [String]) throws(LintError) -> Data {
        let result = try Child.run([path, "status", "--json"] + options)
        guard result.status == 0 else { throw Self.failure(result.errors, result.status) }
        return Data(result.output.utf8)
    }

    static func failure(_ text: String, _ status: Int32) -> LintError {
        struct Answer: Decodable {
            let code: String
            let message: String
            let hint: String
        }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)) else {
            return LintError(
                "graph.status", "relux status --json ended with \(status): \(text.prefix(500))", hint: "try it by hand", status: status)
        }
        return LintError(answer.code, answer.message, hint: answer.hint, status: status)
    }
}
