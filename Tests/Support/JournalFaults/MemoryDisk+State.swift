import ReluxJournal

extension MemoryDisk.State {
    mutating func makeNode(_ path: String) {
        names[path] = MemoryDisk.Node(nextIdentity)
        nextIdentity += 1
    }

    /// With all in it, at once on the disk.
    mutating func moveDirectory(_ path: String, to other: String) {
        func moved(_ name: String) -> String { name == path || name.hasPrefix(path + "/") ? other + name.dropFirst(path.count) : name }
        names = Dictionary(uniqueKeysWithValues: names.map { (moved($0.key), $0.value) })
        durableNames = Dictionary(uniqueKeysWithValues: durableNames.map { (moved($0.key), $0.value) })
        removals = removals.map(moved)
        directories = Set(directories.map(moved))
    }

    mutating func noteRemoval(_ path: String) {
        guard durableNames[path] != nil else { return }
        removals.removeAll { $0 == path }
        removals.append(path)
    }

    func node(_ file: FileHandle, _ call: SystemError.Call) throws(SystemError) -> MemoryDisk.Node {
        guard let node = open[file.rawValue] else { throw SystemError(call, 9) }
        return node
    }

    /// Counts a call and takes what was planned for it.
    mutating func take(_ call: SystemError.Call) -> MemoryDisk.Fault? {
        calls += 1
        clock += 1
        byCall[call.rawValue, default: 0] += 1
        if let fault = faults.removeValue(forKey: calls) { return fault }
        guard nextFaults[call]?.isEmpty == false else { return nil }
        return nextFaults[call]?.removeFirst()
    }

    /// A call that changes something and is no write.
    mutating func step(_ call: SystemError.Call) throws(SystemError) {
        switch take(call) {
        case nil, .short: return
        case .fail(let number), .tear(_, let number): throw SystemError(call, number)
        case .kill:
            isDead = true
            throw SystemError(call, 5)
        }
    }

    /// Reads are not counted among the changes.
    mutating func fault(_ call: SystemError.Call) throws(SystemError) {
        guard nextFaults[call]?.isEmpty == false, case .fail(let number)? = nextFaults[call]?.removeFirst() else { return }
        throw SystemError(call, number)
    }
}
