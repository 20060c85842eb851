import Foundation
import Glibc
import ReluxTestKit
import Testing

extension EndToEnd {
    /// `deploy/install` and `deploy/uninstall`, with the build under test.
    @Suite struct Install {
        /// A machine with a home folder, where an installation may lie at several places.
        private final class Machine: Sendable {
            let folder = TemporaryDirectory(isMade: true)
            let cluster: String
            private static let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst()

            init(modules: [String]) throws {
                cluster = folder.file("small.yaml")
                for name in ["home", "elsewhere"] { try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false) }
                try write(modules: modules)
            }

            func write(modules: [String]) throws {
                let plugins = modules.map { "    - module: \($0)\n" }.joined()
                try "cluster:\n  name: small\n  # directory: .relux\n  # packed: .relux/packed\n  plugins:\n\(plugins)".write(
                    toFile: cluster, atomically: true, encoding: .utf8)
            }

            func script(_ name: String, _ arguments: [String]) async throws -> Outcome { try await start("\(Self.root)/deploy/\(name)", arguments) }

            /// Below a folder where no file of a cluster lies, without a variable of the toolchain or of ours.
            func start(_ program: String, _ arguments: [String]) async throws -> Outcome {
                let variables = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder.file("home"), "NO_COLOR": "1"]
                return try await CLI.run("/bin/sh", ["-c", #"cd "$0" && exec "$@""#, folder.file("elsewhere"), program] + arguments, environment: variables)
            }

            /// - Parameter tool: ends the script with SIGTERM instead of doing its work.
            func install(at place: String, endedBy tool: String) async throws -> Outcome {
                let tools = folder.file("tools")
                // Written by a process of its own: what this one has open for writing while another test starts a child cannot be executed.
                let made = try await start("/bin/sh", ["-c", #"rm -f "$0"/* && printf '#!/bin/sh\nkill -TERM $PPID\nexec sleep 1\n' >"$0/$1" && chmod 755 "$0/$1""#, tools, tool])
                try #require(made.status == 0, "\(made)")
                return try await start("/bin/sh", ["-c", #"PATH=$0:$PATH exec "$@""#, tools, "\(Self.root)/deploy/install"] + arguments(place))
            }

            func install(at place: String) async throws -> Outcome { try await script("install", arguments(place)) }

            private func arguments(_ place: String) -> [String] {
                ["--prefix", folder.file(place), "--build", URL(fileURLWithPath: Built.path("relux")).deletingLastPathComponent().path, "--cluster", cluster]
            }

            func relux(at place: String, _ arguments: String...) async throws -> Outcome { try await start(folder.file(place) + "/bin/relux", arguments) }

            func versions(at place: String) throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.file(place) + "/lib/relux").filter { $0.first?.isNumber == true }
            }
        }

        @Test func `a cluster runs from an installation that was moved, and keeps its version while another is installed beside it`() async throws {
            let machine = try Machine(modules: ["ErrorHandling", "Navigation"])
            let installed = try await machine.install(at: "first")
            try #require(installed.status == 0, "\(installed)")
            try FileManager.default.moveItem(atPath: machine.folder.file("first"), toPath: machine.folder.file("second"))
            let prefix = machine.folder.file("second")
            // Installed anew by way of a link, where the running programs are still found.
            let link = machine.folder.file("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: prefix)
            let version = try await machine.relux(at: "second", "version")
            #expect(version.stdout.contains("\(prefix)/lib/relux/") && version.stdout.contains("\(prefix)/etc/relux/cluster.yaml"), "\(version)")
            let doctor = try await machine.relux(at: "second", "doctor")
            #expect(doctor.status == 0 && doctor.stdout.contains("ok    installation: "), "\(doctor)")

            let up = try await machine.relux(at: "second", "up")
            try #require(up.status == 0 && up.stdout.contains("2/2 ready"), "\(up)")
            let own = try machine.versions(at: "second")
            let programs = try Self.mapped(below: machine.folder.path)
            #expect(programs.count >= 4, "\(programs)")
            for (pid, files) in programs {
                let foreign = files.filter { $0.contains("/swift/linux/") || $0.contains("/.build/") }
                #expect(foreign.isEmpty, "process \(pid) has mapped \(foreign)")
            }

            let early = try await machine.script("uninstall", ["--prefix", link])
            #expect(early.status == 75 && early.stderr.contains("relux down"), "\(early)")
            try machine.write(modules: ["ErrorHandling"])
            let other = try await machine.install(at: "link")
            #expect(other.status == 0 && other.stderr.contains("a process runs from it"), "\(other)")
            #expect(try machine.versions(at: "second").count == 2)
            let status = try await machine.relux(at: "second", "status")
            #expect(status.status == 0 && status.stdout.contains("2/2 ready"), "\(status)")
            // A host that is started again is the running cluster's, not the new version's.
            let host = try #require(programs.first { $0.value.contains { $0.hasSuffix("/relux-host") } }?.key)
            kill(host, SIGKILL)
            let deadline = ContinuousClock.now + watchdog * 2
            var after = try Self.mapped(below: machine.folder.path)
            while after[host] != nil || after.count < programs.count, .now < deadline {
                try await Task.sleep(for: .milliseconds(50))
                after = try Self.mapped(below: machine.folder.path)
            }
            #expect(after.count >= programs.count, "\(after)")
            for (pid, files) in after {
                #expect(files.allSatisfy { file in !file.contains("/lib/relux/") || file.contains("/packed/") || own.contains { file.contains("/\($0)/") } }, "process \(pid) has mapped \(files)")
            }
            let down = try await machine.relux(at: "second", "down")
            #expect(down.status == 0, "\(down)")

            try "# mine\n".write(toFile: "\(prefix)/etc/relux/cluster.yaml", atomically: true, encoding: .utf8)
            let packed = "\(prefix)/lib/relux/packed/Mine/1.0.0-0a"
            try FileManager.default.createDirectory(atPath: packed, withIntermediateDirectories: true)
            let end = try await machine.script("uninstall", ["--prefix", prefix])
            #expect(end.status == 0 && end.stderr.contains("which was changed here"), "\(end)")
            let left = try FileManager.default.subpathsOfDirectory(atPath: prefix).filter { !["etc", "etc/relux", "lib", "lib/relux", "lib/relux/packed"].contains($0) }
            #expect(left.sorted() == ["etc/relux/cluster.yaml", "lib/relux/packed/Mine", "lib/relux/packed/Mine/1.0.0-0a"], "what is somebody's own stays: \(left)")
        }

        @Test func `a damaged installation is named with the file and put right by installing again`() async throws {
            let machine = try Machine(modules: ["ErrorHandling"])
            let installed = try await machine.install(at: "place")
            try #require(installed.status == 0, "\(installed)")
            let library = machine.folder.file("place") + "/lib/relux/current/libReluxFiles.so"
            try Data("not a library".utf8).write(to: URL(fileURLWithPath: library))
            let changed = try await machine.relux(at: "place", "doctor")
            #expect(changed.status == 1 && changed.stdout.contains("libReluxFiles.so has 13 bytes instead of "), "\(changed)")
            try FileManager.default.removeItem(atPath: library)
            try FileManager.default.removeItem(atPath: machine.folder.file("place") + "/lib/relux/packed/ErrorHandling/current")
            let missing = try await machine.relux(at: "place", "up")
            #expect(missing.status == 1 && missing.stderr.contains("libReluxFiles.so is missing"), "\(missing)")
            let again = try await machine.install(at: "place")
            #expect(again.status == 0, "\(again)")
            let doctor = try await machine.relux(at: "place", "doctor")
            #expect(doctor.status == 0, "\(doctor)")
            #expect(try machine.versions(at: "place").count == 1)
            let up = try await machine.relux(at: "place", "up")
            #expect(up.status == 0 && up.stdout.contains("1/1 ready"), "\(up)")
            let down = try await machine.relux(at: "place", "down")
            #expect(down.status == 0, "\(down)")
        }

        @Test func `an installation that was cut short is finished by installing again or taken away, and two do not work at the same place`() async throws {
            let machine = try Machine(modules: ["ErrorHandling"])
            let tools = machine.folder.file("tools")
            try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: false)
            // Before the plugins are in place; further down, before what the former version had is taken away.
            let first = try await machine.install(at: "place", endedBy: "diff")
            #expect(first.status == 143, "\(first)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder.file("place") + "/lib/relux").allSatisfy { !$0.hasPrefix(".new") })
            let gone = try await machine.script("uninstall", ["--prefix", machine.folder.file("place")])
            #expect(gone.status == 0, "\(gone)")
            let left = (try? FileManager.default.subpathsOfDirectory(atPath: machine.folder.file("place"))) ?? []
            #expect(left.isEmpty, "\(left)")

            let second = try await machine.install(at: "place", endedBy: "comm")
            #expect(second.status == 143, "\(second)")
            let whole = try await machine.install(at: "place")
            #expect(whole.status == 0 && !whole.stderr.contains("which was changed here"), "\(whole)")
            let doctor = try await machine.relux(at: "place", "doctor")
            #expect(doctor.status == 0, "\(doctor)")

            let lock = open(machine.folder.file("place") + "/lib/relux/.lock", O_RDWR | O_CLOEXEC)
            try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
            for script in ["install", "uninstall"] {
                let second = script == "install" ? try await machine.install(at: "place") : try await machine.script(script, ["--prefix", machine.folder.file("place")])
                #expect(second.status == 75 && second.stderr.contains("another deploy/install or deploy/uninstall works in"), "\(second)")
            }
            close(lock)
        }

        /// The processes that have mapped a file of an installation below the folder, with all the files that they have mapped.
        private static func mapped(below folder: String) throws -> [pid_t: [String]] {
            let pids = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
            let found = pids.compactMap { pid -> (pid_t, [String])? in
                // The kernel says that its size is 0, so that it must be read to the end.
                guard let data = try? FileHandle(forReadingAtPath: "/proc/\(pid)/maps")?.readToEnd() else { return nil }
                let files = Set(String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
                return files.contains { $0.hasPrefix(folder + "/") && $0.contains("/lib/relux/") } ? (pid, files.sorted()) : nil
            }
            return Dictionary(uniqueKeysWithValues: found)
        }
    }
}
