package import ReluxLint

/// Modules, their interfaces, and who depends on whose: what every picture is drawn from.
package struct Architecture: Hashable, Sendable {
    package struct Module: Hashable, Sendable {
        package let id: String
        /// Empty where nobody says.
        package let version: String
        package let kind: DeclaredModule.Kind
        /// The interface that others import of it; nil if there is none.
        package let interface: Interface?
        /// Topics that it handles and emits, its own, others' and Relux's among them.
        package let handles: [String]
        package let emits: [String]
        /// Types of snapshots that it owns, and those of others that it observes.
        package let provides: [String]
        package let observes: [String]
        /// The state of a running one, such as `ready`; nil in sources.
        package let state: String?
    }

    package struct Interface: Hashable, Sendable {
        /// The library's, such as `AuthReluxInt`.
        package let name: String
        package let effects: [Effect]
        /// Types of snapshots.
        package let snapshots: [String]
    }

    /// One type of effects, with its cases as far as they are known.
    package struct Effect: Hashable, Sendable {
        package let topic: String
        package let cases: [String]
    }

    /// That one module knows another's interface, and what for.
    package struct Dependency: Hashable, Sendable {
        package let from: String
        package let to: String
        /// Libraries of the other one; in a cluster, those that the built library needs.
        package let imports: [String]
        /// Topics of the other one, as in `handles` and `observes`.
        package let emits: [String]
        package let handles: [String]
        package let observes: [String]

        /// `emits`, `handles` and `observes`, or `imports` where there is none of them.
        package var verbs: [String] {
            let used = [("emits", emits), ("handles", handles), ("observes", observes)].filter { !$0.1.isEmpty }.map(\.0)
            return used.isEmpty ? ["imports"] : used
        }
    }

    /// In the order of phases, then of names.
    package let modules: [Module]
    /// In the order of the modules.
    package let dependencies: [Dependency]
    /// Facts that could not be told, a sentence each.
    package let notes: [String]

    package func module(_ id: String) -> Module? { modules.first { $0.id == id } }

    package func dependencies(of id: String) -> [Dependency] { dependencies.filter { $0.from == id } }
}

extension DeclaredModule.Kind {
    /// As a heading.
    package var plural: String {
        switch self {
        case .infrastructure: "infrastructure"
        case .domain: "domains"
        case .orchestrator: "orchestrators"
        case .userInterface: "user interfaces"
        }
    }

    package var phase: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
