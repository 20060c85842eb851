import Foundation
import Glibc
import ReluxTestKit
import Testing

extension EndToEnd {
    /// What `deploy/install` puts on a machine, from the build under test.
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

            func install(at place: String) async throws -> Outcome {
                try await script("install", ["--prefix", folder.file(place), "--build", URL(fileURLWithPath: Built.path("relux")).deletingLastPathComponent().path, "--cluster", cluster])
            }

            func relux(at place: String, _ arguments: String...) async throws -> Outcome { try await start(folder.file(place) + "/bin/relux", arguments) }

            /// The versions that lie there, without `current`.
            func versions(at place: String) throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.file(place) + "/lib/relux").filter { $0 != "current" && !$0.hasPrefix(".") }
            }
        }

        @Test func `a cluster runs from an installation that was moved, and keeps its version while another is installed beside it`() async throws {
            let machine = try Machine(modules: ["ErrorHandling", "Navigation"])
            let installed = try await machine.install(at: "first")
            try #require(installed.status == 0, "\(installed)")
            try FileManager.default.moveItem(atPath: machine.folder.file("first"), toPath: machine.folder.file("second"))
            let prefix = machine.folder.file("second")
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

            let early = try await machine.script("uninstall", ["--prefix", prefix])
            #expect(early.status == 75 && early.stderr.contains("relux down"), "\(early)")
            try machine.write(modules: ["ErrorHandling"])
            let other = try await machine.install(at: "second")
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
                #expect(files.allSatisfy { file in !file.contains("/lib/relux/") || own.contains { file.contains("/\($0)/") } }, "process \(pid) has mapped \(files)")
            }
            let down = try await machine.relux(at: "second", "down")
            #expect(down.status == 0, "\(down)")

            try "# mine\n".write(toFile: "\(prefix)/etc/relux/cluster.yaml", atomically: true, encoding: .utf8)
            let end = try await machine.script("uninstall", ["--prefix", prefix])
            #expect(end.status == 0 && end.stderr.contains("which was changed here"), "\(end)")
            #expect(try FileManager.default.subpathsOfDirectory(atPath: prefix).sorted() == ["etc", "etc/relux", "etc/relux/cluster.yaml"])
        }

        @Test func `a damaged installation is named with the file and put right by installing again`() async throws {
            let machine = try Machine(modules: ["ErrorHandling"])
            let installed = try await machine.install(at: "place")
            try #require(installed.status == 0, "\(installed)")
            let library = machine.folder.file("place") + "/lib/relux/current/libReluxFiles.so"
            try Data("not a library".utf8).write(to: URL(fileURLWithPath: library))
            let changed = try await machine.relux(at: "place", "doctor")
            #expect(changed.status == 1 && changed.stdout.contains("libReluxFiles.so is not the file that was installed; install it again"), "\(changed)")
            try FileManager.default.removeItem(atPath: library)
            let missing = try await machine.relux(at: "place", "up")
            #expect(missing.status == 1 && missing.stderr.contains("libReluxFiles.so is missing"), "\(missing)")
            let again = try await machine.install(at: "place")
            #expect(again.status == 0, "\(again)")
            let doctor = try await machine.relux(at: "place", "doctor")
            #expect(doctor.status == 0, "\(doctor)")
            #expect(try machine.versions(at: "place").count == 1)
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
