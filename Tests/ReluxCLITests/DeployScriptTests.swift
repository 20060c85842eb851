import Foundation
import Glibc
import ReluxTestKit
import Testing

/// The scripts of deploy/ that need no cluster.
@Suite struct DeployScriptTests {
    private static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("deploy").path

    /// Foundation's `Process` would take a service that a script leaves behind for the script itself.
    private func sh(_ arguments: [String], path: String = "/usr/local/bin:/usr/bin:/bin") async throws -> (status: Int32, text: String) {
        let command = "env -i PATH='\(path)' /bin/sh " + arguments.map { "'\($0)'" }.joined(separator: " ") + " 2>&1 </dev/null"
        return try await withCheckedThrowingContinuation { done in
            // It blocks.
            Thread {
                guard let pipe = popen(command, "r") else { return done.resume(throwing: POSIXError(.EAGAIN)) }
                var text = Data()
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { text += buffer[..<count] }
                let status = pclose(pipe)
                done.resume(returning: ((status >> 8) & 0xff, String(decoding: text, as: UTF8.self)))
            }.start()
        }
    }

    /// Written by a process of its own: what this one has open for writing while another test starts a child cannot be executed.
    private func program(_ path: String, _ text: String) async throws {
        try "#!/bin/sh\n\(text)\n".write(toFile: path + ".text", atomically: true, encoding: .utf8)
        let answer = try await sh(["-c", #"cp "$0.text" "$0" && chmod 755 "$0""#, path])
        try #require(answer.status == 0, "\(answer.text)")
    }

    /// The text that `deploy/prerequisites` prints when these lines follow it.
    private func prerequisites(_ lines: String, path: String = "/usr/bin:/bin") async throws -> (status: Int32, text: String) {
        let scratch = TemporaryDirectory(isMade: true)
        let script = scratch.path + "/script"
        try #"set -eu; say() { :; }; die() { s=$1; shift; echo "$*"; exit "$s"; }; . "$1"; "#.appending(lines + "\n")
            .write(toFile: script, atomically: true, encoding: .utf8)
        return try await sh([script, Self.deploy + "/prerequisites"], path: path)
    }

    @Test(arguments: [("6.2", 69), ("6.3", 0), ("7.0", 0), ("5.10", 69)])
    func `a compiler that is too old is named with what is needed`(version: String, status: Int32) async throws {
        let scratch = TemporaryDirectory(isMade: true)
        try await program(scratch.path + "/swift", "echo 'Swift version \(version).1 (x)'")
        let answer = try await prerequisites("need_swift", path: scratch.path + ":/usr/bin:/bin")
        #expect(answer.status == status, "\(answer.text)")
        if status != 0 {
            #expect(answer.text.contains("Swift \(version) is too old") && answer.text.contains("6.3 or later"), "\(answer.text)")
        }
    }

    @Test func `a library that is missing is one`() async throws {
        let answer = try await prerequisites(
            "has library:libc.so.6 && ! has library:libnowhere.so.4 && echo found")
        #expect(answer.status == 0 && answer.text == "found\n")
    }

    @Test func `a command that there is not is refused with those that begin as it does, and help that cannot be written has failed`() async throws {
        let wrong = try await sh([Self.deploy + "/cluster", "dwon"])
        #expect(wrong.status == 2 && wrong.text.contains("'dwon' is no command; did you mean 'demo' or 'down'?"), "\(wrong.text)")
        let full = try await sh(["-c", #"exec "$0" help >/dev/full"#, Self.deploy + "/cluster"])
        #expect(full.status == 74 && full.text.contains("its help cannot be written"), "\(full.text)")
    }

    @Test(arguments: ["cluster", "test", "payment-service", "generate-guard", "check-documents", "install", "uninstall", "package", "manual"], ["", ">/dev/full", ">&-"])
    func `help is said on standard output, and one that cannot be said has failed, in one line`(script: String, output: String) async throws {
        // Only what goes to standard error is told from what is said.
        let said = try await sh(["-c", "exec 3>&2; \"$0\" --help 2>&3 \(output.isEmpty ? "" : output)", "\(Self.deploy)/\(script)"])
        if output.isEmpty {
            #expect(said.status == 0 && said.text.contains("deploy/\(script)"), "\(said)")
            let quiet = try await sh(["-c", "\"$0\" --help 2>&1 >/dev/null", "\(Self.deploy)/\(script)"])
            #expect(quiet.status == 0 && quiet.text.isEmpty, "\(quiet)")
        } else {
            #expect(said.status == 74 && said.text.split(separator: "\n").count == 1, "\(said)")
        }
    }

    @Test(arguments: [
        (">/dev/full", 74, 1), (">&-", 74, 1), ("| head -n 1 >/dev/null", 141, 0), ("| (trap '' PIPE; head -n 1) >/dev/null", 141, 0),
    ], [false, true])
    func `a demo whose output cannot be written ends with the status for that, in one line at most`(
        _ row: (output: String, status: Int32, lines: Int), _ ignoresPipe: Bool
    ) async throws {
        // The built program answers each effect; the script is the one under test.
        let scratch = TemporaryDirectory(isMade: true)
        let (deploy, bin) = (scratch.path + "/deploy", scratch.path + "/.build/debug")
        for folder in [deploy, bin] { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        for name in ["cluster", "output", "prerequisites"] { try FileManager.default.copyItem(atPath: "\(Self.deploy)/\(name)", toPath: "\(deploy)/\(name)") }
        try await program(bin + "/relux", #"case $1 in tap) echo heard; exec sleep 60 ;; effect) cat >/dev/null; echo '  Auth  succeeded  "id"' ;; esac"#)
        let ended = try await sh([
            "-c", "{ \(ignoresPipe ? "trap \"\" PIPE;" : "") status=0; \"$0\" demo || status=$?; echo $status >\"$1\"; } 2>\"$2\" \(row.output.replacing("''", with: "\"\""))",
            deploy + "/cluster", scratch.path + "/status", scratch.path + "/said",
        ])
        let status = try String(contentsOfFile: scratch.path + "/status", encoding: .utf8)
        let said = try String(contentsOfFile: scratch.path + "/said", encoding: .utf8)
        #expect(status == "\(row.status)\n" && said.split(separator: "\n").count == row.lines, "\(status)\(said)\(ended)")
    }

    @Test(arguments: [("up", ["--packed"]), ("demo", ["twice"]), ("help", ["up"]), ("ui", ["notes-ui", "again"])])
    func `a word more than a command takes is refused by name`(command: String, words: [String]) async throws {
        let ended = try await sh([Self.deploy + "/cluster", command] + words)
        #expect(ended.status == 2 && ended.text.contains("'\(words.last!)' is one word too many for '\(command)'"), "\(ended.text)")
    }

    @Test func `down without anything built ends a cluster that runs, and says when none does`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let deploy = scratch.path + "/deploy"
        try FileManager.default.createDirectory(atPath: deploy, withIntermediateDirectories: true)
        for name in ["cluster", "output", "prerequisites"] { try FileManager.default.copyItem(atPath: "\(Self.deploy)/\(name)", toPath: "\(deploy)/\(name)") }
        let more = try await sh([deploy + "/cluster", "down", "--timeout"])
        #expect(more.status == 2 && more.text.contains("'--timeout' cannot be heeded: nothing is built"), "\(more.text)")
        let none = try await sh([deploy + "/cluster", "down"])
        #expect(none.status == 69 && none.text.contains("no supervisor runs with \(deploy)/cluster.yaml"), "\(none.text)")
        // A program of that name with that file, which ends at SIGTERM.
        _ = try await sh(["-c", #"cp "$(readlink -f /bin/sh)" "$0""#, scratch.path + "/relux-supervisor"])
        let pid = try await sh([
            "-c", #""$0" -c "sleep 600 & wait" relux --config "$1" >/dev/null 2>&1 & echo $!"#, scratch.path + "/relux-supervisor", deploy + "/cluster.yaml",
        ]).text.trimmingCharacters(in: .whitespacesAndNewlines)
        let down = try await sh([deploy + "/cluster", "down"])
        #expect(down.status == 0 && down.text.contains("supervisor \(pid) of \(deploy)/cluster.yaml runs"), "\(down.text)")
        #expect(try kill(#require(Int32(pid)), 0) == -1 && errno == ESRCH)
    }

    @Test func `an installation is refused before anything is built, with the place and the remedy`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        try FileManager.default.createDirectory(atPath: scratch.file("taken/bin"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: scratch.file("foreign/lib/relux/x"), withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: scratch.file("taken/bin/relux")))
        for (script, arguments, status, words) in [
            ("install", ["--prefix", "/etc/passwd"], 73, "/etc/passwd is no folder, and so /etc/passwd/lib/relux cannot be made"),
            ("install", ["--prefix", scratch.file("taken")], 73, "\(scratch.file("taken"))/bin/relux is not of an installation made by deploy/install"),
            ("install", ["--prefix", scratch.file("foreign")], 73, "\(scratch.file("foreign"))/lib/relux is not of an installation made by deploy/install"),
            ("install", ["--prefix"], 2, "--prefix needs a value"), ("install", ["--bogus"], 2, "'--bogus' is not understood"),
            ("install", ["--user", "--prefix", "/x"], 2, "--user and --prefix name two places"), ("install", ["--user"], 2, "HOME is not set"),
            ("install", ["--cluster", "/nowhere.yaml"], 66, "--cluster /nowhere.yaml: there is no such file"),
            ("install", ["--build", scratch.path], 66, "--build \(scratch.path): there is no program relux in it"),
            ("uninstall", ["--prefix", scratch.path], 66, "nothing is installed below \(scratch.path)"),
            ("uninstall", ["--build", scratch.path], 2, "--cluster, --build and --sdk are for deploy/install"),
            ("package", ["--output"], 2, "--output needs a folder"), ("manual", [scratch.path], 2, "it takes a program and a folder"),
            ("manual", ["/nowhere", scratch.path], 66, "/nowhere is no program"),
        ] {
            let answer = try await sh([Self.deploy + "/" + script] + arguments)
            #expect(answer.status == Int32(status) && answer.text.contains(words), "\(script) \(arguments): \(answer.text)")
        }
        let closed = scratch.file("closed")
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
        let nobody = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : ""
        let denied = try await sh(["-c", nobody + "\"$0\" --prefix \"$1\"", Self.deploy + "/install", closed])
        #expect(denied.status == 73 && denied.text.contains("may not write in") && denied.text.contains("--user"), "\(denied.text)")
    }

    @Test func `the payment service is started once, keeps its books where the cluster's state is, and is ended`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = scratch.path + "/run"
        let script = Self.deploy + "/payment-service"
        let first = try await sh([script, "start", run, "0"])
        #expect(first.status == 0 && first.text.hasPrefix("listening on http://127.0.0.1:"), "\(first.text)")
        let pid = try #require(first.text.split(separator: " ").last.map { String($0).trimmingCharacters(in: .newlines) })
        #expect(FileManager.default.fileExists(atPath: run + "/state/payment-service/ledger"))
        #expect(try FileManager.default.attributesOfItem(atPath: run)[.posixPermissions] as? Int == 0o700)
        #expect(try await sh([script, "start", run, "0"]).text == "unchanged, pid \(pid)\n")
        #expect(try await sh([script, "stop", run]).text == "ended, pid \(pid)\n")
        #expect(try await sh([script, "stop", run]) == (0, ""))
    }

    @Test func `a payment service that cannot listen says why, whatever was there before`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = scratch.path + "/run"
        let script = Self.deploy + "/payment-service"
        try FileManager.default.createDirectory(atPath: run + "/state/payment-service", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: run + "/logs", withIntermediateDirectories: true)
        // An earlier life left a log that says that it listens, and the number of a process that is somebody else's.
        try "listening on http://127.0.0.1:1\n".write(toFile: run + "/logs/payment-service.log", atomically: true, encoding: .utf8)
        try "\(getpid())\n".write(toFile: run + "/state/payment-service/pid", atomically: true, encoding: .utf8)
        try "no ledger\n".write(toFile: run + "/state/payment-service/ledger", atomically: true, encoding: .utf8)
        let answer = try await sh([script, "start", run, "0"])
        #expect(answer.status == 69 && answer.text.contains("JSONDecodeError"), "\(answer.text)")
        #expect(try await sh([script, "stop", run]) == (0, ""))
    }

    /// The script under a watchdog.
    private func watched(_ arguments: [String], path: String = "/usr/local/bin:/usr/bin:/bin") async throws -> (status: Int32, text: String) {
        try await sh(["-c", #"exec timeout -k 1 120 "$0" "$@""#, Self.deploy + "/payment-service"] + arguments, path: path)
    }

    @Test func `a payment service that hears nothing is killed`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = scratch.path + "/run"
        let first = try await watched(["start", run, "0"])
        let pid = try #require(first.text.split(separator: " ").last.flatMap { pid_t($0.trimmingCharacters(in: .newlines)) }, "\(first.text)")
        kill(pid, SIGSTOP)
        let ended = try await watched(["stop", run])
        #expect(ended == (0, "ended, pid \(pid)\n"))
        if ended.status != 0 { kill(pid, SIGKILL) }
    }

    @Test func `a payment service that says nothing is ended and named`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = scratch.path + "/run"
        // It leaves its number, and waits for ever.
        try await program(scratch.path + "/python3", "echo $$ >'\(scratch.path)/number'\nexec sleep 600")
        let answer = try await watched(["start", run, "0", "2"], path: scratch.path + ":/usr/bin:/bin")
        #expect(answer.status == 69 && answer.text.contains("did not say within 2 s that it listens on 127.0.0.1:0"), "\(answer.text)")
        let number = try String(contentsOfFile: scratch.path + "/number", encoding: .utf8).trimmingCharacters(in: .newlines)
        // The script has waited for its end.
        let pid = try #require(Int32(number))
        #expect(kill(pid, 0) == -1 && errno == ESRCH, "process \(pid) is still there")
    }
}
