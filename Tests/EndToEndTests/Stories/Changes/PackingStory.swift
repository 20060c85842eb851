import Foundation
import ReluxWire
import Testing

extension EndToEnd {
    /// `deploy/cluster up` in a checkout that was built before: the tests of an earlier commit have left libraries that no target of a
    /// cluster builds again.
    @Suite struct Packing {
        @Test func `up packs what the cluster names, whatever an earlier build has left beside it`() async throws {
            let checkout = try await Checkout(plugins: ["ErrorHandling", "Navigation"])
            defer { checkout.remove() }
            try "of an earlier commit\n".write(toFile: checkout.bin + "/libStaleReluxImpl.so", atomically: true, encoding: .utf8)

            try checkout.configure(["ErrorHandling"])
            let first = try await checkout.up()
            #expect(first.status == 0 && first.stderr.contains("1 plugins: ErrorHandling/"), "\(first)")
            #expect(try checkout.packed() == ["ErrorHandling"])
            #expect(try await checkout.up().stderr.contains("pack     unchanged"))

            // Older than what was packed, as a file that was kept elsewhere is.
            try checkout.configure(["ErrorHandling", "Navigation"], at: Date(timeIntervalSince1970: 1))
            let second = try await checkout.up()
            #expect(second.status == 0 && second.stderr.contains("2 plugins: ErrorHandling/"), "\(second)")
            #expect(try checkout.packed() == ["ErrorHandling", "Navigation"])
            #expect(try await checkout.up().stderr.contains("pack     unchanged"))

            // It was built again.
            try checkout.touch("libNavigationModels.so")
            #expect(try await checkout.up().stderr.contains("2 plugins: ErrorHandling/"))

            // The clock was set back, and it was built again.
            try checkout.touch("libNavigationModels.so", at: Date(timeIntervalSinceNow: -365 * 86_400))
            #expect(try await checkout.up().stderr.contains("2 plugins: ErrorHandling/"))
            #expect(try await checkout.up().stderr.contains("pack     unchanged"))

            // A version that the cluster needs is another matter.
            try checkout.configure(["ErrorHandling", "Stale"])
            let last = try await checkout.up()
            #expect(last.status == 70 && last.stderr.contains("libStaleReluxImpl.so"), "\(last)")
        }

        @Test func `one library that is refused does not keep the others from being packed`() async throws {
            let checkout = try await Checkout(plugins: ["ErrorHandling", "Navigation"])
            defer { checkout.remove() }
            for name in ["A", "Stale"] {
                try "of an earlier commit\n".write(toFile: "\(checkout.bin)/lib\(name)ReluxImpl.so", atomically: true, encoding: .utf8)
            }
            let packing = try await checkout.relux(["module", "pack", "--all", "--build", checkout.bin, "--json", "--out", checkout.bin + "/packed"])
            #expect(packing.status == 6, "\(packing)")
            let packed = (try packing.json()["packed"] ?? .null).elements
            #expect(packed.compactMap { $0["module"]?.text } == ["ErrorHandling", "Navigation"], "\(packing)")
            for word in ["2 of 4 libraries", "libAReluxImpl.so", "libStaleReluxImpl.so", "the others are packed", "--configured"] {
                #expect(packing.stderr.contains(word), "\(word)\n\(packing)")
            }
        }
    }
}

/// A checkout as far as `deploy/cluster up` looks: the scripts, and a build folder with some of this build's plugins. Its `swift` has
/// built already, and of its `relux` only the packing is real.
private struct Checkout {
    private let root: String
    var bin: String { root + "/.build/debug" }
    private var file: String { root + "/cluster.yaml" }

    init(plugins: [String]) async throws {
        root = try temporaryDirectory("rxe-checkout")
        let manager = FileManager.default
        try manager.createDirectory(atPath: root + "/deploy", withIntermediateDirectories: true)
        try manager.createDirectory(atPath: root + "/.build/debug", withIntermediateDirectories: true)
        try manager.createDirectory(atPath: root + "/tools", withIntermediateDirectories: true)
        // Whatever they share; the configuration is the test's own.
        for script in try manager.contentsOfDirectory(atPath: "\(Built.repository)/deploy") where !script.contains(".") {
            try manager.copyItem(atPath: "\(Built.repository)/deploy/\(script)", toPath: "\(root)/deploy/\(script)")
        }
        for name in try manager.contentsOfDirectory(atPath: Built.directory)
        where name.hasSuffix(".so") && plugins.contains(where: { name.hasPrefix("lib\($0)") }) {
            try manager.copyItem(atPath: Built.path(name), toPath: "\(bin)/\(name)")
        }
        try manager.createSymbolicLink(atPath: bin + "/Modules", withDestinationPath: Built.path("Modules"))
        try await program("tools/swift", #"[ "$1" != build ] || { echo 'Build complete!'; exit 0; }; PATH=${PATH#*:}; exec swift "$@""#)
        try await program(".build/debug/relux", #"[ "$1" != module ] || exec '\#(Built.path("relux"))' "$@"; echo "$*""#)
    }

    /// Written by a process of its own: what this one has open for writing while another test starts a child cannot be executed.
    private func program(_ path: String, _ text: String) async throws {
        let outcome = try await CLI.run(
            "/bin/sh", ["-c", #"cat >"$0" && chmod 755 "$0""#, "\(root)/\(path)"], environment: environment, input: "#!/bin/sh\n\(text)\n")
        guard outcome.status == 0 else { throw HarnessError("\(root)/\(path) cannot be made\n\(outcome)") }
    }

    func configure(_ modules: [String], at date: Date = Date()) throws {
        try (["cluster:", "  name: e2e", "  directory: run", "  plugins:"] + modules.map { "    - module: \($0)" }).joined(separator: "\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    /// As a build that has made it again.
    func touch(_ library: String, at date: Date = Date(timeIntervalSinceNow: 60)) throws {
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(bin)/\(library)")
    }

    func up() async throws -> Outcome {
        try await CLI.run("/bin/sh", ["\(root)/deploy/cluster", "up"], environment: environment, limit: .seconds(600))
    }

    func relux(_ arguments: [String]) async throws -> Outcome {
        try await CLI.run(Built.path("relux"), arguments, environment: environment, limit: .seconds(600))
    }

    private var environment: [String: String] {
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RELUX_") }
        variables["RELUX_CONFIG"] = file
        variables["PATH"] = "\(root)/tools:\(variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")"
        return variables
    }

    /// The modules that have a version.
    func packed() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: root + "/run/packed").sorted() }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}
