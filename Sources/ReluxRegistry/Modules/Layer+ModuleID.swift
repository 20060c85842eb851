import ReluxLayers
import ReluxWire

extension Layer {
    /// The modules whose interfaces are among these products.
    static func interfaces(in products: [String]) -> [ModuleID] {
        products.compactMap { name in split(name).flatMap { $0.layer == .interface ? ModuleID(rawValue: $0.module) : nil } }
    }
}
