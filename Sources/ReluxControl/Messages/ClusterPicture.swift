package import ReluxWire

/// A host process's name: the configuration's, or the module's own when it runs alone.
package struct HostID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral value: String) { self.rawValue = value }
    package var description: String { rawValue }
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The cluster's own processes and its node, whose logs and sockets have these names.
    package static let reserved = ["broker", "cluster", "supervisor"]
    /// The rule of ``isName`` in words, for an error.
    package static let grammar = "1 to 64 of A-Z a-z 0-9 _ . -, not beginning with a dot, and not \(reserved.joined(separator: ", "))"

    /// Whether somebody may give a host this name, by ``grammar``. Files are named after it.
    package var isName: Bool { isWellFormed && !Self.reserved.contains(rawValue) }

    /// Whether the characters are allowed; a cluster may have a name that ``reserved`` keeps from hosts.
    package var isWellFormed: Bool {
        (1...64).contains(rawValue.utf8.count) && !rawValue.hasPrefix(".")
            && rawValue.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
    }
}

/// A state of a module with its reason; the page LifeOfAModule shows how one follows from the other.
package struct ModuleState: Codable, Sendable, Hashable {
    package enum Phase: String, Codable, Sendable, Hashable {
        case declared, verified, starting, recovering, waiting, ready, draining, stopped, backoff, quarantined, refused
        /// Loaded and prepared to take a module over, or to serve it again; serves nothing. See `HostOrder.standby`.
        case standby
    }
    package var phase: Phase
    /// Why, in one sentence; empty where the phase says all.
    package var why: String
    package init(_ phase: Phase, why: String = "") {
        self.phase = phase
        self.why = why
    }
}

/// The facts that every host must know of the others; the broker sends them whole whenever they change.
package struct ClusterPicture: Codable, Sendable, Hashable {
    package struct Member: Codable, Sendable, Hashable {
        package var module: ModuleID
        /// Its latest instance's; 0 while it never had one.
        package var epoch: Epoch
        /// The version of the picture that made it a member: it is no recipient of what was accepted before.
        package var since: UInt64
        /// Its place in the order of registration, the same in all its lives: by phase, in a phase as modules were declared.
        package var place: UInt64
        package var handles: [Topic]
        package var emits: [Topic]
        package var provides: [Topic]
        package var observes: [Topic]
        /// The running host, nil while the module has no process; it keeps its place as a recipient.
        package var host: HostID?
        /// The host that may take it over soon: whoever hears the module connects to it already.
        package var standby: HostID?
        /// Why nothing that goes on by itself lets it handle anything; nil while it serves or is on its way. Nobody waits for it meanwhile, and it
        /// keeps its place as a recipient.
        package var absence: String?
        package init(
            module: ModuleID, epoch: Epoch, since: UInt64 = 0, place: UInt64 = 0, handles: [Topic], emits: [Topic], provides: [Topic],
            observes: [Topic], host: HostID?, standby: HostID? = nil, absence: String? = nil
        ) {
            self.module = module
            self.epoch = epoch
            self.since = since
            self.place = place
            self.handles = handles
            self.emits = emits
            self.provides = provides
            self.observes = observes
            self.host = host
            self.standby = standby
            self.absence = absence
        }
    }

    package struct Host: Codable, Sendable, Hashable {
        package var id: HostID
        /// Where the host's XPUB and its lossy PUB for taps are bound.
        package var endpoint: String
        package var tapEndpoint: String
        package init(id: HostID, endpoint: String, tapEndpoint: String) {
            self.id = id
            self.endpoint = endpoint
            self.tapEndpoint = tapEndpoint
        }
    }

    /// Rises with every change.
    package var version: UInt64
    package var members: [Member]
    package var hosts: [Host]
    package init(version: UInt64, members: [Member], hosts: [Host]) {
        self.version = version
        self.members = members
        self.hosts = hosts
    }
}

extension ClusterPicture {
    package var places: [ModuleID: UInt64] { Dictionary(members.map { ($0.module, $0.place) }) { $1 } }

    package var withoutProcess: Set<ModuleID> { Set(members.lazy.filter { $0.host == nil }.map(\.module)) }

    /// Members that are known to be absent, and why.
    package var absences: [ModuleID: String] {
        members.reduce(into: [:]) { absences, member in
            if let why = member.absence { absences[member.module] = why }
        }
    }

    /// The modules that handle each topic, in the order of the members.
    package var recipients: [Topic: [ModuleID]] {
        var recipients: [Topic: [ModuleID]] = [:]
        for member in members {
            for topic in member.handles { recipients[topic, default: []].append(member.module) }
        }
        return recipients
    }
}
