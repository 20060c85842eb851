import ReluxWire

/// A library's name taken apart: whose it is, and which of the domain's products.
///
/// `AuthReluxInt` is `Auth`'s interface. A name without a known ending (`Relux`, `GRDB`) belongs to no module.
struct Product: Hashable, Sendable {
    enum Role: String, CaseIterable, Sendable {
        case interface = "ReluxInt"
        case implementation = "ReluxImpl"
        case serviceInterface = "ServiceInt"
        case serviceImplementation = "ServiceImpl"
        case testSupport = "TestSupport"
        case models = "Models"
        case views = "UI"
    }

    var owner: ModuleID
    var role: Role

    init?(_ name: String) {
        for role in Role.allCases where name.hasSuffix(role.rawValue) && name.utf8.count > role.rawValue.utf8.count {
            let owner: ModuleID? = ModuleID(rawValue: String(name.dropLast(role.rawValue.count)))
            guard let owner else { return nil }
            self.owner = owner
            self.role = role
            return
        }
        return nil
    }

    static func interface(of module: ModuleID) -> String { module.rawValue + Role.interface.rawValue }
}
