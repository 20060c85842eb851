/// The products of a domain, by the suffixes of their names.
package enum Layer: String, CaseIterable, Sendable {
    case models = "Models"
    case interface = "ReluxInt"
    case serviceInterface = "ServiceInt"
    case serviceImplementation = "ServiceImpl"
    case implementation = "ReluxImpl"
    case testSupport = "TestSupport"
    /// A facade for clients: models, interface and Relux by one import.
    case kit = "Kit"
    case userInterfaceAPI = "UIAPI"
    case userInterface = "UI"

    /// A product's name taken apart at its suffix: `Auth` and `.interface` of `AuthReluxInt`. Nil for a name without one (`Relux`, `GRDB`).
    package static func split(_ name: String) -> (module: String, layer: Layer)? {
        for layer in allCases where name.hasSuffix(layer.rawValue) && name.utf8.count > layer.rawValue.utf8.count {
            return (String(name.dropLast(layer.rawValue.count)), layer)
        }
        return nil
    }

    package static func interface(of module: String) -> String { module + Layer.interface.rawValue }

    /// The layers of its own domain that it may import.
    package var mayImport: Set<Layer> {
        switch self {
        case .models: []
        case .interface, .serviceInterface: [.models]
        case .serviceImplementation: [.models, .serviceInterface]
        case .implementation: [.models, .interface, .serviceInterface, .serviceImplementation]
        case .testSupport: [.models, .interface, .serviceInterface]
        case .kit: [.models, .interface]
        case .userInterfaceAPI: [.models, .interface, .kit]
        case .userInterface: [.models, .interface, .kit, .userInterfaceAPI]
        }
    }

    /// The rule that this layer's own imports break.
    package var rule: ErrorCode {
        switch self {
        case .models: .models
        case .interface: .reluxInt
        case .serviceInterface: .serviceInt
        case .serviceImplementation: .serviceImpl
        case .implementation: .reluxImpl
        case .testSupport: .testSupport
        case .kit: .kit
        case .userInterfaceAPI, .userInterface: .userInterface
        }
    }

    package var isView: Bool { self == .userInterface || self == .userInterfaceAPI }

    /// Its ending is a word that others use too: it is a layer only of a domain that is there.
    package var isCommonWord: Bool { isView || self == .kit }
}
