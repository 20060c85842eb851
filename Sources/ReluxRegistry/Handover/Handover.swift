package import ReluxControl
package import ReluxPlugin
package import ReluxWire

/// One module on its way from the host that serves it to another one: an upgrade, its way back, or a move.
///
/// Design notes. The coded part is what a broker that takes over must know; what processes have said, it hears again in their
/// `hello`. The steps are in Registry+Handover.swift, the protocol is checked as a whole in Tests/Model/handover.pml.
package struct Handover: Codable, Sendable {
    package enum Kind: String, Codable, Sendable, Hashable { case upgrade, rollback, move }

    package enum Stage: String, Codable, Sendable, Hashable {
        /// The successor loads; the module is served as ever.
        case preparing
        /// The predecessor was told to give the module up.
        case cuttingOver
        /// The successor was given an epoch and restores; nothing new is written.
        case serving
        /// The successor was too slow; as soon as it has let go, the predecessor serves again.
        case withdrawing
        /// On the disk: the module is the successor's, there is no way back to the predecessor.
        case committed
    }

    package let module: ModuleID
    package let kind: Kind
    package let from: HostID
    package let to: HostID
    package internal(set) var source: PluginVersion
    package internal(set) var target: PluginVersion
    /// States that are stored in an older version, for a successor that knows no later one.
    package let older: [String: UInt32]
    package internal(set) var stage = Stage.preparing
    /// Why it is withdrawn.
    var why = ""
    /// On the disk since the cut-over was ordered: the epoch that the successor is to get. Whoever runs under it has been told to serve, whatever
    /// the registry's file says.
    var reserved: Epoch?
    /// The client's request, which may be asked again.
    let request: String

    // The fields below belong to this broker's life.
    var waiters: [ConnectionID] = []
    var since: Duration = .zero
    /// No broker before this one can have given the reserved epoch.
    var isReservedHere = false
    /// The orders of the present stage, so that none is given twice to one process by one broker.
    var isOrdered = false
    var heard = Heard()
    /// Nil where nobody served before.
    var pause: Pause?

    /// The reports of the two processes to this broker.
    struct Heard: Sendable {
        /// The successor has its image and waits.
        var standingSince: Duration?
        /// The successor has restored all and waits for the commit.
        var isRestored = false
        /// The successor, or its process, is gone.
        var newEnd: String?
        /// The predecessor has its image and waits, with the journal sealed or never opened.
        var isSealed = false
        /// The predecessor may not join any more; it counts if the hand-over fails.
        var oldRefusal: Refusal?

        var isStandingBy: Bool { standingSince != nil }
    }

    /// Since when nobody serves.
    struct Pause: Sendable {
        var since: Duration
        /// It began before this broker, nobody knows when.
        var isOpen = false
    }

    enum CodingKeys: String, CodingKey {
        case module, kind, from, to, source, target, older, stage, why, request, reserved
    }

    init(
        module: ModuleID, kind: Kind, from: HostID, to: HostID, source: PluginVersion, target: PluginVersion,
        older: [String: UInt32], request: String
    ) {
        self.module = module
        self.kind = kind
        self.from = from
        self.to = to
        self.source = source
        self.target = target
        self.older = older
        self.request = request
    }

    /// Whether the successor may have the module's journal open.
    var isWithSuccessor: Bool {
        switch stage {
        case .preparing, .cuttingOver: false
        case .serving, .withdrawing, .committed: true
        }
    }

    /// What others wait for.
    var end: String { "the \(kind.rawValue) of \(module) to end" }

    /// How people tell the two builds apart.
    var sourceName: String { source.build.name(beside: target.build) }
    var targetName: String { target.build.name(beside: source.build) }

    /// `upgrade to 1.1.0 in host Auth.2: preparing`
    package var summary: String {
        let what = kind == .move ? "move" : "\(kind.rawValue) to \(targetName)"
        let step =
            switch stage {
            case .preparing: heard.isStandingBy ? "ready to take over" : "the new process prepares"
            case .cuttingOver: "host \(from) gives it up"
            case .serving: "host \(to) restores"
            case .withdrawing: "withdrawn: \(why)"
            case .committed: "host \(to) is about to be ready"
            }
        return "\(what) in host \(to): \(step)"
    }
}

/// One packed version of a module.
package struct PluginVersion: Codable, Sendable, Hashable {
    package var directory: String
    package var declaration: ModuleDeclaration
    package var imports: [String]
    /// CBOR of the manifest's contract; empty if there is none.
    package var contract: ByteString
    /// What its states keep; nil as long as nobody has said so.
    package var stored: [StoredShape]?

    package var version: String { declaration.version }
    var build: PackedBuild { PackedBuild(directory: directory, version: version) }
}

/// What became of a hand-over, for a client that asks again.
struct HandoverOutcome: Codable, Sendable {
    var request: String
    /// Empty when it was done.
    var code: String
    var lines: [String]

    var body: ClientResponse.Body {
        code.isEmpty ? .done(lines: lines) : .refused(code: code, message: lines.joined(separator: "; "))
    }
}
