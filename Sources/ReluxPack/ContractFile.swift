import Foundation
package import ReluxPlugin
import ReluxWire

/// The contract as a file beside the interface's source, so that a change of it shows in a review.
package struct ContractFile: Sendable {
    /// For example `Plugins/Auth/Sources/AuthReluxInt/Auth.contract.json`.
    package let path: String

    package init(path: String) { self.path = path }

    /// The file's place in a plugin's package.
    package init(package folder: String, domain: String) {
        path = "\(folder)/Sources/\(domain)ReluxInt/\(domain).contract.json"
    }

    /// The contract's place in a plugin's folder: beside the interface, which may be in a package of its own there, or beside an orchestrator,
    /// which has no interface.
    package init(plugin folder: String, module: String) {
        let packages = [folder, "\(folder)/\(module)Interfaces"]
        if let package = packages.first(where: { FileManager.default.fileExists(atPath: "\($0)/Sources/\(module)ReluxInt") }) {
            self.init(package: package, domain: module)
        } else {
            self.init(path: "\(folder)/Sources/\(module)Impl/\(module).contract.json")
        }
    }

    package func write(_ contract: Contract) throws(PackError) {
        do { try PackedJSON.data(contract).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            throw PackError(.write, "the contract \(path) cannot be written: \(FileReason.of(error))")
        }
    }

    /// - Throws: `pack.staleContract` when the file is missing or differs from the built interface's contract; the
    ///   message names the topics.
    package func check(_ contract: Contract) throws(PackError) {
        let remedy = "run 'relux module pack … --write-contract' and commit the file"
        guard let data = PlainFile.contents(path) else {
            throw PackError(.staleContract, FileReason.unread(path).map { "\(path) cannot be read: \($0); mend that" } ?? "\(path) is missing; \(remedy)")
        }
        guard let written = try? JSONDecoder().decode(Contract.self, from: data) else {
            throw PackError(.staleContract, "\(path) is no contract of this format; \(remedy)")
        }
        guard written != contract else { return }
        let changed = Set(written.topics).symmetricDifference(contract.topics).map(\.topic.rawValue)
            + Set(written.snapshots).symmetricDifference(contract.snapshots).map(\.topic.rawValue)
        throw PackError(
            .staleContract,
            "\(path) is stale for \(Set(changed).sorted().joined(separator: ", ")); \(remedy)")
    }
}

/// JSON for files: the same value gives the same bytes.
enum PackedJSON {
    static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value) + Data("\n".utf8)
    }
}
