import ReluxWire

/// One packed build of a module, as people read of it.
struct PackedBuild: Sendable, Hashable {
    let directory: String
    let version: String

    /// Whether both are one version and content, wherever they lie: the packer names a directory after both.
    func isSame(as other: PackedBuild) -> Bool { folder == other.folder }

    /// Its version; with its digest where another build of that version is meant too. A directory that the packer has not named is told with its path.
    func name(beside others: [PackedBuild]) -> String {
        guard others.contains(where: { $0.version == version && !isSame(as: $0) }) else { return version }
        return folder.hasPrefix(version) ? String(folder) : "\(version) in \(directory)"
    }

    func name(beside other: PackedBuild) -> String { name(beside: [other]) }

    /// `1.0.0 → 1.1.0`, or the one name of what stays the same.
    func path(to next: PackedBuild) -> String {
        directory == next.directory ? version : "\(name(beside: next)) → \(next.name(beside: self))"
    }

    /// Returns the sentence that this build is packed and the other one serves, or served last.
    ///
    /// - Parameter isNamed: the remedy needs its directory: it is not what the cluster's file leads to.
    func unserved(_ id: ModuleID, beside served: PackedBuild, isNamed: Bool = false) -> String {
        "\(name(beside: served)) is packed but not served: relux module upgrade \(id)" + (isNamed ? " \(directory)" : "")
    }

    private var folder: Substring { directory.split(separator: "/").last ?? "" }
}
