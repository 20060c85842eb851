import CReluxProcess
import Relux
import ReluxLayers
import ReluxWire

/// Dispatches of this process outside a node, and whose they are.
extension HostRuntime {
    /// From now on each is a refusal of the module whose code it is.
    nonisolated func adoptHomeless() {
        Relux.adoptHomeless { [weak exchange] refused in
            guard let exchange, let owned = Self.owned(refused, by: exchange.parties) else { return false }
            exchange.refuse(owned)
            return true
        }
    }

    /// Takes over the dispatches that came before any module was set up; they are written by then.
    func claimHomeless() {
        let modules = exchange.parties
        guard !modules.isEmpty else { return }
        for (refused, count) in Relux.takeHomeless() {
            if let owned = Self.owned(refused, by: modules) { exchange.takeOver(owned, count: count) }
        }
    }

    /// The same in the name of the module in whose library the site lies, or whose name that of the site's Swift module begins with. Code of none of
    /// them counts for the first, and the message says so. Nil where there is no module.
    static func owned(
        _ refused: Relux.RefusedDispatch, by modules: [ModuleID],
        library: (UInt) -> String? = { relux_code_library($0, nil, 0).map { String(cString: $0) } }
    ) -> Relux.RefusedDispatch? {
        guard let first = modules.first else { return nil }
        let file = refused.site.literal.flatMap(library)?.split(separator: "/").last.map(String.init)
        let swiftModule = refused.site.file.prefix { $0 != "/" }
        let owner =
            file.flatMap { LibraryName(file: $0).owner(among: modules.map(\.rawValue)) }.flatMap { name in modules.first { $0.rawValue == name } }
            ?? modules.filter { swiftModule.hasPrefix($0.rawValue) }.max { $0.rawValue.utf8.count < $1.rawValue.utf8.count }
        var refused = refused
        refused.module = owner ?? first
        if owner == nil, modules.count > 1 {
            refused.failure.message += "; this code is in the library of none of \(modules.map(\.rawValue).joined(separator: ", ")), so it counts for \(first)"
        }
        return refused
    }
}
