package import Foundation

/// The Swift toolchain that built the module, found by name in `PATH` unless told otherwise.
package struct Toolchain: Sendable {
    private let swift: String

    /// - Parameter swift: name or path of the `swift` driver.
    package init(swift: String = "swift") { self.swift = swift }

    /// First line of the compiler's version.
    package func version() throws(PackError) -> String {
        let text = try run(["--version"])
        guard let line = text.split(separator: "\n").first else {
            throw PackError(.toolchain, "'\(swift) --version' printed nothing; is it Swift's driver?")
        }
        return String(line)
    }

    /// The triple that the toolchain builds for.
    package func target() throws(PackError) -> String {
        struct Info: Decodable {
            struct Target: Decodable { let triple: String }
            let target: Target
        }
        let text = try run(["-print-target-info"])
        do { return try JSONDecoder().decode(Info.self, from: Data(text.utf8)).target.triple } catch {
            throw PackError(.toolchain, "'\(swift) -print-target-info' printed no target: \(error)")
        }
    }

    /// Runs a program that lies beside the compiler.
    func runTool(_ name: String, _ arguments: [String]) throws(PackError) {
        struct Info: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        let text = try run(["-print-target-info"])
        guard let info = try? JSONDecoder().decode(Info.self, from: Data(text.utf8)) else {
            throw PackError(.toolchain, "'\(swift) -print-target-info' printed no runtimeResourcePath")
        }
        // Not standardized: that follows links, and some tools go by the name that they are called by.
        _ = try run("\(info.paths.runtimeResourcePath)/../../bin/\(name)", arguments)
    }

    /// The symbol graphs of a built module: its own, and one for each module that it extends.
    /// - Parameter modules: folders of `.swiftmodule` files, searched in this order.
    package func symbolGraphs(of module: String, target: String, modules: [String]) throws(PackError) -> [Data] {
        do {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relux-graph-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            _ = try run(
                [
                    "symbolgraph-extract", "-module-name", module, "-target", target, "-minimum-access-level", "private",
                    "-skip-synthesized-members", "-output-dir", folder.path,
                ] + modules.flatMap { ["-I", $0] })
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }.map { try Data(contentsOf: $0) }
        } catch let error as PackError {
            throw error
        } catch {
            throw PackError(.contract, "symbol graph of \(module): \(error)")
        }
    }

    /// Identifiers of the module's properties that have storage; a symbol graph does not tell.
    func storedProperties(of module: String, target: String, modules: [String]) throws(PackError) -> Set<String> {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("relux-digest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try run(
            ["api-digester", "-dump-sdk", "-abi", "-module", module, "-target", target, "-o", file.path]
                + modules.flatMap { ["-I", $0] })
        do {
            var stored: Set<String> = []
            var queue = [try JSONDecoder().decode(Digest.self, from: Data(contentsOf: file)).ABIRoot]
            while let node = queue.popLast() {
                if node.hasStorage == true, let usr = node.usr { stored.insert(usr) }
                queue += node.children ?? []
            }
            return stored
        } catch {
            throw PackError(.contract, "digest of \(module): \(error)")
        }
    }

    private struct Digest: Decodable {
        struct Node: Decodable {
            let usr: String?
            let hasStorage: Bool?
            let children: [Node]?
        }
        let ABIRoot: Node
    }

    private func run(_ arguments: [String]) throws(PackError) -> String { try run(swift, arguments) }

    private func run(_ program: String, _ arguments: [String]) throws(PackError) -> String {
        let result: Child.Result
        do { result = try Child.run([program] + arguments) } catch {
            throw PackError(.toolchain, "'\(program)' cannot be started: \(FileReason.of(error)); put Swift's usr/bin into PATH")
        }
        guard result.status == 0 else {
            throw PackError(
                .toolchain,
                "'\(([program] + arguments).joined(separator: " "))' ended with \(result.status): \(result.errors)")
        }
        return result.output
    }
}
