import Foundation
import ReluxLoader
import ReluxPack
import ReluxPlugin
import Testing

/// The contract beside each interface is that of the built interface: a change of it shows in a review.
///
/// `RELUX_RECORD=1` writes the files anew and fails the run. Without it, and in short runs, the same is a check of deploy/test: a `relux module pack
/// --check-contract` of all plugins.
@Suite struct ContractTests {
    struct Interface: Sendable, CustomTestStringConvertible {
        let module: String
        let library: String
        let folder: String
        var testDescription: String { module }

        static func domain(_ module: String) -> Self {
            Self(module: module, library: "lib\(module)ReluxImpl.so", folder: "\(module)ReluxInt")
        }
    }

    static let interfaces: [Interface] = [
        .domain("ErrorHandling"), .domain("Navigation"), .domain("Auth"), .domain("Profile"), .domain("Settings"),
        .domain("Notes"), .domain("Library"), .domain("Files"), .domain("Sync"), .domain("Cart"), .domain("Checkout"), .domain("Payment"),
        Interface(
            module: "SessionOrchestration", library: "libSessionOrchestration.so", folder: "SessionOrchestrationImpl"),
    ]

    private static let isWanted = ["RELUX_RECORD", "RELUX_TEST_FULL"].contains { ProcessInfo.processInfo.environment[$0] != nil }

    @Test(.enabled(if: isWanted), arguments: interfaces)
    func `the contract file is the contract of the built interface`(interface: Interface) throws {
        let packer = Packer(
            describe: { try describe(library: $0) }, rawValues: { try rawValues(library: $0, enums: $1) })
        let built = try packer.contract(
            ofLibrary: Self.buildFolder + "/" + interface.library, module: interface.module)
        #expect(built.notes == [])
        let file = ContractFile(
            path: "\(Self.root)/Plugins/\(interface.module)/Sources/\(interface.folder)/\(interface.module).contract.json")
        if ProcessInfo.processInfo.environment["RELUX_RECORD"] == "1" {
            try file.write(built.contract)
            Issue.record("recorded \(file.path); run again without RELUX_RECORD")
        } else {
            try file.check(built.contract)
        }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The test runner lies among the libraries that it was built with.
    private static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path
}
