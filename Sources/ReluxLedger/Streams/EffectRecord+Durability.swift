package import Relux

extension EffectRecord {
    /// The durability that its publisher has promised.
    package var durability: Relux.Durability {
        if flags.contains(.transient) { return .transient }
        return flags.contains(.machine) ? .machine : .process
    }
}
