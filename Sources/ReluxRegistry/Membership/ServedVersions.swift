package import ReluxControl

/// Which version of a module is served, or was before its unload, and which ones were served before that.
package struct ServedVersions: Codable, Sendable, Hashable {
    package struct Earlier: Codable, Sendable, Hashable {
        package var directory: String
        package var version: String
        /// What its states kept; nil if it never said so.
        package var stored: [StoredShape]?
    }

    package internal(set) var directory: String
    /// Absent in files of brokers that kept only what was upgraded.
    package internal(set) var version: String?
    package internal(set) var stored: [StoredShape]?
    /// The version that was rolled back from last, or whose upgrade failed last. `relux up --packed` does not take it.
    package internal(set) var abandoned: String?
    /// The newest last; a rollback takes that one.
    package internal(set) var earlier: [Earlier] = []

    static let earlierKept = 16

    init(directory: String, version: String) { (self.directory, self.version) = (directory, version) }

    /// What a rollback takes; nil when nothing else was served before. The same content in another place is no other version.
    package var before: Earlier? { earlier.last { !Self.isSame($0.directory, directory) } }

    /// The stored states of the present version, or of the version before it.
    func stored(in directory: String) -> [StoredShape]? {
        directory == self.directory ? stored : earlier.last { $0.directory == directory }?.stored
    }

    /// Another one serves from now on, and there is a way back.
    mutating func serve(_ directory: String, version: String) {
        if directory != self.directory, !Self.isSame(directory, self.directory) {
            earlier.append(Earlier(directory: self.directory, version: self.version ?? "", stored: stored))
            if earlier.count > Self.earlierKept { earlier.removeFirst() }
            stored = nil
            abandoned = nil
        }
        (self.directory, self.version) = (directory, version)
    }

    /// An upgrade to it has failed.
    mutating func avoid(_ directory: String) {
        if !Self.isSame(directory, self.directory) { abandoned = directory }
    }

    mutating func rollBack(to directory: String, version: String) {
        abandoned = self.directory
        stored = nil
        while let last = earlier.popLast() {
            guard last.directory == directory else { continue }
            stored = last.stored
            break
        }
        (self.directory, self.version) = (directory, version)
    }

    /// All of them, as far as they are remembered.
    var builds: [PackedBuild] {
        let present = PackedBuild(directory: directory, version: version ?? "")
        let given = abandoned.map { directory in
            let folder = directory.split(separator: "/").last ?? ""
            // The packer names a directory `<version>-<digest>`.
            return PackedBuild(directory: directory, version: folder.lastIndex(of: "-").map { String(folder[..<$0]) } ?? "")
        }
        return [present] + earlier.map { PackedBuild(directory: $0.directory, version: $0.version) } + [given].compactMap(\.self)
    }

    /// Both directories are called by one version and one content.
    static func isSame(_ one: String, _ other: String) -> Bool { one.split(separator: "/").last == other.split(separator: "/").last }

    /// Its folder has another path now, or that of an earlier one.
    mutating func relocate(_ former: String, to now: String) {
        if directory == former { directory = now }
        if abandoned == former { abandoned = now }
        for index in earlier.indices where earlier[index].directory == former { earlier[index].directory = now }
    }
}

extension [StoredShape] {
    /// The states that must be stored in an older version for a build that keeps these.
    ///
    /// - Throws: why there is no way back to it.
    func older(for target: [StoredShape]) throws(NoWayBack) -> [String: UInt32] {
        var older: [String: UInt32] = [:]
        for shape in target {
            guard let present = first(where: { $0.name == shape.name }), present.version != shape.version else { continue }
            guard present.backTo.contains(shape.version) else {
                let versions = present.backTo.sorted().map(String.init).joined(separator: ", ")
                let known = versions.isEmpty ? "into none" : "only into \(versions)"
                throw NoWayBack(
                    message: "no way back: \(shape.name) is stored in version \(present.version), the other build reads up to"
                        + " \(shape.version), and it can be turned back \(known)")
            }
            older[shape.name] = shape.version
        }
        return older
    }
}

/// The state of a newer build cannot be made an older one's.
struct NoWayBack: Error, Hashable {
    var message: String
}
