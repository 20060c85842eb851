package import ReluxBus

/// Which version of a module is served, other than the configuration's, and which ones were served before.
package struct ServedVersions: Codable, Sendable, Hashable {
    package struct Earlier: Codable, Sendable, Hashable {
        package var directory: String
        package var version: String
        /// What its states kept; nil if it never said so.
        package var stored: [StoredShape]?
    }

    /// What the configuration has named, and what a link to the newest version in it has led to, since the first of these hand-overs:
    /// as long as it names one of them, `directory` is served.
    package var known: [String]
    package var directory: String
    /// The newest last; a rollback takes that one.
    package var earlier: [Earlier] = []

    static let earlierKept = 16

    mutating func upgraded(to directory: String, from before: PluginVersion) {
        earlier.append(Earlier(directory: before.directory, version: before.version, stored: before.stored))
        if earlier.count > Self.earlierKept { earlier.removeFirst() }
        serve(directory)
    }

    mutating func rolledBack(to directory: String) {
        if !earlier.isEmpty { earlier.removeLast() }
        serve(directory)
    }

    private mutating func serve(_ directory: String) {
        self.directory = directory
        known.removeAll { $0 == directory }
        known.append(directory)
        if known.count > Self.earlierKept + 1 { known.remove(at: 1) }
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
