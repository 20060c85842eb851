import Foundation
import Glibc
import Testing

/// A cluster out of the generator on real processes; its sockets lie below a short path of its own.
struct GeneratedCluster {
    let folder: String
    private let runs: String
    private let bin: String?

    /// - Parameters:
    ///   - folder: where it is written, beside packages that it runs.
    ///   - relux: the checkout or the SDK that it is made with.
    ///   - bin: where Relux's programs are, if not in that checkout.
    init(_ folder: String, _ modules: [String], relux: String = Folders.root, bin: String? = nil) throws {
        self.folder = folder
        self.bin = bin
        var template = Array("/tmp/rxc-XXXXXX".utf8CString)
        runs = String(cString: try #require(mkdtemp(&template)))
        let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let made = try run(
            "\(tool)/relux-dev", ["new", "cluster", folder, "--relux", relux] + (modules.isEmpty ? [] : ["--modules", modules.joined(separator: ",")]))
        try #require(made.status == 0, "\(made.text)")
        let configuration = URL(fileURLWithPath: folder + "/cluster.yaml")
        let text = try String(contentsOf: configuration, encoding: .utf8)
        let line = "  # directory: .relux\n"
        #expect(text.contains(line))
        try Data(text.replacing(line, with: "  directory: \(runs)/c\n").utf8).write(to: configuration)
    }

    /// A word of its script.
    func callAsFunction(_ arguments: String...) throws -> (status: Int32, text: String) { try run(folder + "/cluster", arguments) }

    /// Ends it, whatever became of it.
    func end() {
        _ = try? self("down")
        try? FileManager.default.removeItem(atPath: runs)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Foundation's `Process` waits until nobody holds a descriptor that it gave to the child, and what the script starts goes on.
    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let log = "\(runs)/\(UUID().uuidString).log"
        var variables = ProcessInfo.processInfo.environment
        for name in ["RELUX_RUN", "RELUX_CONFIG"] { variables[name] = nil }
        if let bin { variables["RELUX_BIN"] = bin }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        let (words, settings) = (Self.texts([program] + arguments), Self.texts(variables.map { "\($0)=\($1)" }))
        defer { (words + settings).forEach { free($0) } }
        var child = pid_t()
        try #require(posix_spawn(&child, program, &actions, nil, words, settings) == 0, "\(program)")
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1 { try #require(errno == EINTR) }
        // Its exit status is the second byte, and none for one that a signal has ended.
        return (status & 0x7f == 0 ? status >> 8 & 0xff : -1, try String(contentsOfFile: log, encoding: .utf8))
    }

    private static func texts(_ all: [String]) -> [UnsafeMutablePointer<CChar>?] { all.map { strdup($0) } + [nil] }
}

@Suite struct GeneratedClusterTests {
    /// The cluster's libraries are built already.
    @Test func `a cluster from the generator packs, starts, takes an effect and ends, on real processes`() throws {
        let cluster = try GeneratedCluster(NSTemporaryDirectory() + "/relux-cluster-" + UUID().uuidString, [])
        defer { cluster.end() }
        let up = try cluster("up")
        #expect(up.status == 0, "\(up.text)")
        let status = try cluster("status", "--json")
        #expect(status.status == 0 && status.text.contains("\"relux.status/1\""), "\(status.text)")
        for module in ["ErrorHandling", "Navigation"] { #expect(status.text.contains("\"\(module)\""), "\(status.text)") }
        let sent = try cluster("effect", "send", "ErrorHandling.Business.Effect.clear")
        #expect(sent.status == 0, "\(sent.text)")
        let down = try cluster("down")
        #expect(down.status == 0, "\(down.text)")
        #expect(try cluster("status").status != 0)
    }
}
