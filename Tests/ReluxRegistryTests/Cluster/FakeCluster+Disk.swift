@testable import ReluxRegistry

/// The disk that the registry's file is on, with what the broker holds back until that is written.
extension FakeCluster {
    /// The ordered actions that may be done now; the file is written.
    mutating func pass(_ ordered: [Registry.Action]) -> [Registry.Action] {
        let (isFull, ahead) = (isFull, gate.ahead(of: ordered))
        var written: RegistrySnapshot?
        do {
            let behind = try gate.pass(ordered, now: now) { snapshot throws(RegistryFileError) in
                if isFull { throw RegistryFileError(.unwritable, "no room", mayPass: true) }
                written = snapshot
            }
            if let written { persisted = written }
            return ahead + behind
        } catch {
            complaints.append("\(error)")
            return Array(ahead)
        }
    }
}
