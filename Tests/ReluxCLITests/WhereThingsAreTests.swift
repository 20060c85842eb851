import Foundation
import Testing

/// The page that says where things are, against the package.
@Suite struct WhereThingsAreTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    private static func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }

    /// The words in backticks of each row of the first table: its folders, and those that they know.
    static func rows(of page: String) -> [(folders: [String], known: Set<String>)] {
        let table = page.components(separatedBy: "## Rules")[0]
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            func words(_ cell: Substring) -> [String] { cell.matches(of: /`([\w-]+)`/).map { String($0.1) } }
            return (words(cells[1]), Set(words(cells[3])).union(cells[3].contains("the image") ? ["the image"] : []))
        }
    }

    /// Library targets below Sources, each with the targets of this package that its manifest names.
    static func targets(of manifest: String) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        // `.target(name: "X", … dependencies: […] …)`, on one line or several, without a path of its own.
        for match in manifest.matches(of: /\.target\(\s*name: "(\w+)"(?:,\s*dependencies: \[([^\]]*)\])?(,\s*path:)?/) where match.3 == nil {
            let list = (match.2.map(String.init) ?? "").replacing(/\.product\([^)]*\)/, with: "")
            var known = Set(list.matches(of: /"([\w-]+)"/).map { String($0.1) })
            if list.contains("reluxImage") { known.insert("the image") }
            found[String(match.1)] = known
        }
        return found
    }

    @Test func `each folder has a row, and knows what the page says`() throws {
        let rows = Self.rows(of: try Self.text("Sources/Relux/Relux.docc/WhereThingsAre.md"))
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources").path).filter { !$0.hasPrefix(".") }
        #expect(Set(rows.flatMap(\.folders)) == Set(folders))
        let targets = Self.targets(of: try Self.text("Package.swift"))
        for (names, known) in rows where names.count == 1 && names[0].hasPrefix("Relux") {
            let name = names[0]
            #expect(targets[name] == known, "\(name): the package and the page differ")
        }
    }

    /// Handling effects is for hosts and the broker's own node: whoever looks, packs or supervises links no protocol.
    @Test(arguments: ["ReluxCLI", "ReluxPack", "ReluxSupervisor", "ReluxTap"])
    func `no path of dependencies leads to the bus`(from start: String) throws {
        let targets = Self.targets(of: try Self.text("Package.swift"))
        _ = try #require(targets[start])
        #expect(Self.reach(of: start, in: targets).isDisjoint(with: ["ReluxBus", "ReluxBroker", "ReluxHost"]))
        #expect(Self.reach(of: "ReluxBroker", in: targets).contains("ReluxBus"))
    }

    /// Journals are read and packs are checked where no socket is.
    @Test(arguments: ["ReluxControl", "ReluxJournal", "ReluxLedger", "ReluxLoader", "ReluxPack", "ReluxRegistry"])
    func `no path of dependencies leads to sockets`(from start: String) throws {
        let targets = Self.targets(of: try Self.text("Package.swift"))
        _ = try #require(targets[start])
        #expect(Self.reach(of: start, in: targets).isDisjoint(with: ["ReluxZeroMQ", "CZeroMQ"]))
        #expect(Self.reach(of: "ReluxTap", in: targets).contains("CZeroMQ"))
    }

    /// The targets that a target reaches: its dependencies, and theirs.
    static func reach(of start: String, in targets: [String: Set<String>]) -> Set<String> {
        var (found, next) = (Set<String>(), [start])
        while let name = next.popLast() {
            let unseen = (targets[name] ?? []).subtracting(found)
            found.formUnion(unseen)
            next += unseen
        }
        return found
    }

    @Test func `who knows more than the page says is found`() {
        let targets = Self.targets(
            of: """
                .target(name: "One", dependencies: ["Two", reluxImage, .product(name: "Log", package: "log")], swiftSettings: strict),
                .target(
                    name: "Two"),
                .target(name: "Kit", dependencies: ["One"], path: "Tests/Kit"),
                """)
        #expect(targets == ["One": ["Two", "the image"], "Two": []])
        #expect(Self.rows(of: "| `One` | a job | `Two`, the image |\n").first?.known == ["Two", "the image"])
    }
}
