import Foundation

/// One of the two packages of a domain that `relux new domain --split` writes.
struct DomainHalf: Hashable {
    let domain: String
    /// Where the other one belongs: beside it.
    let other: String

    private static let endings = ["Interfaces", "Implementations"]

    /// - Returns: nil for a package of another name.
    init?(_ folder: String) {
        let url = URL(fileURLWithPath: folder)
        let name = url.lastPathComponent
        guard let ending = Self.endings.first(where: { name.hasSuffix($0) && name != $0 }),
            let opposite = Self.endings.first(where: { $0 != ending })
        else { return nil }
        domain = String(name.dropLast(ending.count))
        other = url.deletingLastPathComponent().appendingPathComponent(domain + opposite).path
    }

    var hasOther: Bool { FileManager.default.fileExists(atPath: other + "/Package.swift") }
}
