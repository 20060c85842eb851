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

    /// The layers of its own domain that it may import.
    var mayImport: Set<Layer> {
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
    var rule: LintRule {
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

    var isView: Bool { self == .userInterface || self == .userInterfaceAPI }

    /// Its ending is a word that others use too: it is a layer only of a domain that is there.
    var isCommonWord: Bool { isView || self == .kit }
}

/// What a Swift module is in the architecture.
package enum ModuleRole: Hashable, Sendable {
    case layer(Layer, of: String)
    case orchestrator(String)
    /// Any other library in a domain's package.
    case part(of: String)
    /// An executable in the package of a domain or an orchestrator.
    case program(of: String)
    /// What shows an app, over the interfaces of any domains; or the program of a user interface.
    case view
    case tests(of: String?)
    /// Relux itself and its tools.
    case core
    /// Nothing that a rule speaks of; its imports count for whoever imports it.
    case other
}

extension ModuleRole {
    /// A name taken apart at a layer's suffix.
    static func layered(_ name: String) -> (domain: String, layer: Layer)? {
        for layer in Layer.allCases where name.hasSuffix(layer.rawValue) && name.utf8.count > layer.rawValue.utf8.count {
            return (String(name.dropLast(layer.rawValue.utf8.count)), layer)
        }
        return nil
    }

    /// The orchestrator's name if it is one's: `SessionOrchestration` of itself and of `SessionOrchestrationImpl`.
    static func orchestrator(named name: String) -> String? {
        let stem = name.hasSuffix("Impl") ? String(name.dropLast(4)) : name
        let suffix = "Orchestration"
        return stem.hasSuffix(suffix) && stem.utf8.count > suffix.utf8.count ? stem : nil
    }
}
