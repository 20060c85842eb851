/// A seed's checklist for one plugin, each point as far as it can be seen.
package struct Checklist: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case done
        case open
        /// Nobody can tell from sources: a person has to.
        case unseen
    }

    package struct Point: Hashable, Sendable {
        /// In the seed's words.
        package let text: String
        package let state: State
        /// The facts that were seen, the parts that are missing, or the reason why nothing can be seen.
        package let reason: String
    }

    /// The domain, orchestrator or user interface.
    package let subject: String
    /// Which of the seeds' lists it is.
    package let title: String
    /// In the order of the seed.
    package private(set) var points: [Point] = []

    init(_ subject: String, _ title: String) {
        self.subject = subject
        self.title = title
    }

    package var open: Int { points.count { $0.state == .open } }

    mutating func add(_ text: String, _ state: State, _ reason: String) {
        points.append(Point(text: text, state: state, reason: reason))
    }

    /// A point that is done when nothing is missing.
    mutating func add(_ text: String, missing: [String], seen: String) {
        add(text, missing.isEmpty ? .done : .open, missing.isEmpty ? seen : missing.joined(separator: "; "))
    }
}

/// The surroundings of a plugin's package, as far as a checklist asks: file names and a few lines.
package struct Neighbourhood: Sendable {
    /// Names of the folders beside it.
    package var folders: Set<String> = []
    /// Names of the orchestrators beside it, by the interface or kit that they import.
    package var listeners: [String: [String]] = [:]
    /// The modules that each cluster's file runs, by the file's name.
    package var clusters: [String: [String]] = [:]
    /// Where the other package of a domain in two was looked for and not found, by the domain.
    package var missing: [String: String] = [:]

    package init() {}
}
