import Foundation
@testable import ReluxScaffold
import Testing

@Suite struct ClusterScaffoldTests {
    private let plugins: [ClusterScaffold.Plugin] = [
        .init(name: "ErrorHandling", library: "$bin/libErrorHandlingReluxImpl.so"),
        .init(name: "Weather", library: "$here/../Weather/.build/debug/libWeatherReluxImpl.so"),
    ]

    /// Runs a generated cluster's script beside programs of the test's; output and errors are one text.
    private func run(_ folder: String, _ arguments: [String], bin: String) throws -> (status: Int32, text: String) {
        try Command.run(["\(folder)/cluster"] + arguments, ["RELUX_BIN": bin])
    }

    @Test func `the script packs what the cluster runs, starts it with its file, and hands every other word to relux`() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).path + "/relux-cluster-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
        let mine = folder + "/mine"
        try ClusterScaffold.make("mine", plugins, core: "../relux").write(to: mine)
        let (bin, relux) = (folder + "/bin", folder + "/bin/relux")
        #expect(try run(mine, ["up"], bin: bin).status == 69)
        let script = "#!/bin/sh\necho \"$RELUX_CONFIG: $*\" >>\"${0%/*}/said\"\n"
        #expect(FileManager.default.createFile(atPath: relux, contents: Data(script.utf8), attributes: [.posixPermissions: 0o755]))
        let unbuilt = try run(mine, ["up"], bin: bin)
        #expect(unbuilt.status == 69 && unbuilt.text.contains("libErrorHandlingReluxImpl.so"), "\(unbuilt)")

        try Data().write(to: URL(fileURLWithPath: bin + "/libErrorHandlingReluxImpl.so"))
        let other = try run(mine, ["up"], bin: bin)
        #expect(other.status == 69 && other.text.contains("swift build --package-path \(mine)/../Weather\n"), "\(other)")

        let libraries = [bin + "/libErrorHandlingReluxImpl.so", folder + "/Weather/.build/debug/libWeatherReluxImpl.so"]
        for library in libraries {
            let file = URL(fileURLWithPath: library)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
        }
        #expect(try run(mine, ["up", "--timeout", "2m"], bin: bin).status == 0)
        #expect(try run(mine, ["effect", "send", "A B"], bin: bin).status == 0)
        let usage = try run(mine, [], bin: bin)
        #expect(usage.status == 2 && usage.text.contains("./cluster up "), "\(usage)")
        let file = mine + "/cluster.yaml"
        let said = try String(contentsOfFile: bin + "/said", encoding: .utf8).components(separatedBy: "\n")
        #expect(
            said == [
                "\(file): module pack --output name \(libraries[0]) \(mine)/../Weather/.build/debug/libWeatherReluxImpl.so",
                "\(file): up --packed --timeout 2m", "\(file): effect send A B", "",
            ], "\(said)")
    }

    @Test func `a cluster on installed programs takes what they have packed, and packs the rest`() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).path + "/relux-cluster-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (mine, bin) = (folder + "/mine", folder + "/lib/current")
        for place in [bin, folder + "/lib/packed/ErrorHandling/1.0.0-a", folder + "/Weather/.build/debug"] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: folder + "/lib/packed/ErrorHandling/current", withDestinationPath: "1.0.0-a")
        try ClusterScaffold.make("mine", plugins, core: nil).write(to: mine)
        try Data().write(to: URL(fileURLWithPath: folder + "/Weather/.build/debug/libWeatherReluxImpl.so"))
        for (program, text) in ["relux": #"echo "$*" >>"${0%/*}/said""#, "relux-supervisor": "echo 'cluster.packed = \(mine)/p  (default)'"] {
            let data = Data("#!/bin/sh\n\(text)\n".utf8)
            #expect(FileManager.default.createFile(atPath: "\(bin)/\(program)", contents: data, attributes: [.posixPermissions: 0o755]))
        }
        let up = try run(mine, ["up"], bin: bin)
        #expect(up.status == 0, "\(up)")
        let said = try String(contentsOfFile: bin + "/said", encoding: .utf8)
        #expect(said == "module pack --output name \(mine)/../Weather/.build/debug/libWeatherReluxImpl.so\nup --packed\n", "\(said)")
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: mine + "/p/ErrorHandling/current")
        #expect(link.hasSuffix("/lib/packed/ErrorHandling/1.0.0-a"))

        try FileManager.default.removeItem(atPath: folder + "/lib/packed/ErrorHandling")
        let lacking = try run(mine, ["up"], bin: bin)
        #expect(lacking.status == 69 && lacking.text.contains("lacks ErrorHandling"), "\(lacking)")
    }

    @Test func `the configuration is one that the supervisor reads, with every module`() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).path + "/relux-cluster-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ClusterScaffold.make("mine", plugins, core: "../relux").write(to: folder)
        let log = URL(fileURLWithPath: folder + "/log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Folders.root + "/.build/debug/relux-supervisor")
        process.arguments = ["--config", folder + "/cluster.yaml", "--print"]
        process.standardOutput = try FileHandle(forWritingTo: log)
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(process.terminationStatus == 0 && text.contains("cluster.name = mine  (file line "), "\(text)")
        #expect(text.contains("Weather") && text.contains("ErrorHandling"), "\(text)")
    }

    @Test func `modules lie beside the cluster or in the checkout, and names are checked`() throws {
        let checkout = try Checkout(at: Folders.root)
        #expect(try checkout.plugin("Notes", for: "/somewhere/mine").library == "$bin/libNotesReluxImpl.so")
        #expect(try checkout.plugin("SessionOrchestration", for: "/somewhere/mine").library == "$bin/libSessionOrchestration.so")
        #expect(throws: ScaffoldError.self) { try checkout.plugin("Wether", for: "/somewhere/mine") }
        for (name, plugins) in [("a b", plugins), (".mine", plugins), ("", plugins), ("mine", []), ("mine", plugins + plugins)] {
            let error = #expect(throws: ScaffoldError.self) { try ClusterScaffold.make(name, plugins, core: "..") }
            #expect(error?.code == "new.cluster")
        }
        // A folder's name may mean something to the shell.
        let script = try ClusterScaffold.make("mine", plugins, core: "../$(x)\"`").files["cluster"]
        #expect(script?.contains("$here/../\\$(x)\\\"\\`/.build/debug") == true)
    }
}
