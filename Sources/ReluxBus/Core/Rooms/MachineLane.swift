import Relux

/// Modules that have said, settled or been answered something that has to survive the loss of power. Pure.
struct MachineLane: Sendable {
    /// They are not through with it.
    private(set) var modules: Set<ModuleID> = []
    /// Their journals must be on the disk before anything that follows from this batch is let out.
    private(set) var pressing: Set<ModuleID> = []

    mutating func press(_ module: ModuleID) {
        modules.insert(module)
        pressing.insert(module)
    }

    /// The module says more about earlier records that have to survive; nothing changes if it has none.
    mutating func pressAgain(_ module: ModuleID) { if modules.contains(module) { pressing.insert(module) } }

    mutating func takePressing() -> Set<ModuleID> {
        defer { pressing = [] }
        return pressing
    }

    mutating func keep(where isKept: (ModuleID) -> Bool) { modules = modules.filter(isKept) }

    mutating func forget(_ module: ModuleID) { modules.remove(module) }
}
