import Relux
import ReluxControl

/// Other hosts: whom this one hears, and who hears it. Pure.
struct PeerTable: Sendable {
    /// Another host that this one hears.
    struct Peer: Sendable {
        var endpoint: String
        /// Unique for each connection; nil once the host has answered it.
        var marker: [UInt8]?
        var askedAt: Duration
        /// Doubles with each marker that stays unanswered.
        var patience = PeerTable.patience
        /// The lives of its modules when it was asked; of another life the heads are asked for again.
        var lives: [ModuleID: Epoch] = [:]
    }

    private var all: [HostID: Peer] = [:]
    /// Hosts that have asked for our heads: their subscriptions are in place.
    private(set) var joined: Set<HostID> = []
    /// Hosts that no picture has named yet and that have asked for our heads; a host that finds no room here waits until its patience ends.
    private(set) var strangers: Set<HostID> = []
    static let strangerLimit = 256
    private static let patience = Duration.seconds(1)
    private let makeMarker: @Sendable () -> [UInt8]

    init(makeMarker: @escaping @Sendable () -> [UInt8]) { self.makeMarker = makeMarker }

    subscript(_ id: HostID) -> Peer? { all[id] }

    /// Every host has answered our marker.
    var haveAnswered: Bool { all.values.allSatisfy { $0.marker == nil } }
    /// Every host has asked for our heads.
    var haveJoined: Bool { all.keys.allSatisfy(joined.contains) }
    var unanswered: [HostID] { all.filter { $0.value.marker != nil }.map(\.key).sorted() }
    /// Hosts whose answer to our last marker has come.
    var answered: [HostID] { all.filter { $0.value.marker == nil }.map(\.key).sorted() }

    // MARK: Whom we hear

    /// - Returns: those that are hosts no more, or lie elsewhere now.
    mutating func remove(besides endpoints: [HostID: String]) -> [Peer] {
        let gone = all.filter { endpoints[$0.key] != $0.value.endpoint }.sorted { $0.key < $1.key }
        for (id, _) in gone {
            all[id] = nil
            joined.remove(id)
        }
        return gone.map(\.value)
    }

    /// - Returns: the new ones, in order.
    mutating func add(_ endpoints: [HostID: String], now: Duration) -> [HostID] {
        let new = endpoints.filter { all[$0.key] == nil }
        for (id, endpoint) in new { all[id] = Peer(endpoint: endpoint, marker: nil, askedAt: now) }
        return new.keys.sorted()
    }

    /// - Returns: whether other modules run there than when it was asked, or later lives of them: their streams are not named yet.
    mutating func note(_ lives: [ModuleID: Epoch], at id: HostID) -> Bool {
        guard let peer = all[id], peer.lives != lives else { return false }
        all[id]?.lives = lives
        return true
    }

    /// - Returns: the marker that the host has not answered, and the one that it is asked by now.
    mutating func mark(_ id: HostID, now: Duration) -> (old: [UInt8]?, new: [UInt8]) {
        let (old, marker) = (all[id]?.marker, makeMarker())
        all[id]?.marker = marker
        all[id]?.askedAt = now
        return (old, marker)
    }

    /// Those that have not answered in time are asked again, each time after a longer wait.
    mutating func takeImpatient(now: Duration) -> [HostID] {
        let due = all.filter { $0.value.marker != nil && now - $0.value.askedAt >= $0.value.patience }
        for (id, peer) in due { all[id]?.patience = min(peer.patience * 2, .seconds(8)) }
        return due.keys.sorted()
    }

    /// Every host that is connected sees a marker and answers; each clears its own only.
    ///
    /// - Returns: whether it was that host's.
    mutating func note(answered marker: [UInt8], by isSpeaker: (HostID) -> Bool) -> Bool {
        var isOurs = false
        for (id, peer) in all where peer.marker == marker && isSpeaker(id) {
            all[id]?.marker = nil
            all[id]?.patience = Self.patience
            isOurs = true
        }
        return isOurs
    }

    // MARK: Who hears us

    /// Anybody may write a marker: only hosts of the picture are kept for good.
    mutating func note(joined id: HostID, isNamed: Bool) {
        if isNamed { joined.insert(id) } else if strangers.count < Self.strangerLimit { strangers.insert(id) }
    }

    mutating func note(hosts: Set<HostID>) {
        joined = joined.union(strangers).intersection(hosts)
        strangers.subtract(hosts)
    }
}
