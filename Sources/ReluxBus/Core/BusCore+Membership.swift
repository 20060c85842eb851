package import ReluxPlugin
package import Relux

extension BusCore {
    /// A module of this process joins the bus under its epoch.
    package mutating func add(_ declaration: ModuleDeclaration, epoch: Epoch, now: Duration) -> [Action] {
        locals[declaration.id] = Local(
            epoch: epoch, handles: Set(declaration.handles), emits: Set(declaration.emits),
            provides: Set(declaration.provides), observes: Set(declaration.observes))
        // Hosts that have answered already did so without this module in mind.
        var actions = peers.keys.flatMap { mark($0, now: now) }
        actions += refresh(now: now)
        return actions
    }

    package mutating func remove(_ module: ModuleID, now: Duration) -> [Action] {
        locals[module] = nil
        outbound = outbound.filter { $0.key.publisher != module }
        inbound = inbound.filter { $0.key.recipient != module }
        positions = positions.filter { $0.key.module != module }
        snapshots = snapshots.filter { $0.key.publisher != module }
        return refresh(now: now)
    }

    /// The broker's word on who is who; an older one than the last is ignored.
    package mutating func apply(_ new: ClusterPicture, now: Duration) -> [Action] {
        if let picture, picture.version >= new.version { return [] }
        let before = members
        picture = new
        members = Dictionary(new.members.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first })
        var actions: [Action] = []
        var recipients: [Topic: [ModuleID]] = [:]
        for member in new.members {
            for topic in member.handles { recipients[topic, default: []].append(member.module) }
        }
        actions.append(.setMembership(version: new.version, recipients))
        for gone in before.keys where members[gone] == nil && locals[gone] == nil { forget(gone, &actions) }
        for (id, member) in members where member.host == nil && before[id]?.host != nil {
            for topic in member.provides { actions.append(.snapshot(Self.snapshot(topic), payload: [], stale: true)) }
        }
        actions += refresh(now: now)
        return actions
    }

    /// That life of the module is over: what pended on it is lost, and it starts at the head when it comes back.
    package mutating func lost(_ module: ModuleID, now: Duration) -> [Action] {
        var actions: [Action] = []
        forget(module, &actions)
        return actions
    }

    private mutating func forget(_ module: ModuleID, _ actions: inout [Action]) {
        for stream in outbound.keys { outbound[stream]?.drop(module) }
        positions = positions.filter { effect, place in
            outbound[StreamID(publisher: effect.module, topic: place.topic)]?.retained[place.sequence] != nil
        }
        actions.append(.lose(module))
    }

    /// Every host that must be heard has answered our marker.
    package var isJoined: Bool { picture != nil && peers.values.allSatisfy { $0.marker == nil } }
    /// Every host that must hear us has asked for our heads.
    package var isHeard: Bool { picture != nil && peers.keys.allSatisfy(joinedUs.contains) }
    package var unansweredHosts: [HostID] { peers.filter { $0.value.marker != nil }.map(\.key).sorted() }

    // MARK: Who is heard

    /// Brings connections and subscriptions to what the picture and the local modules ask for.
    private mutating func refresh(now: Duration) -> [Action] {
        var actions: [Action] = []
        guard let picture else { return [] }
        let related = picture.members.filter { locals[$0.module] == nil && isRelated($0) }
        let hosts = Set(related.compactMap(\.host)).subtracting([host])
        let endpoints = Dictionary(picture.hosts.map { ($0.id, $0.endpoint) }, uniquingKeysWith: { first, _ in first })
        for (id, peer) in peers where !hosts.contains(id) || endpoints[id] != peer.endpoint {
            actions.append(.disconnect(peer.endpoint))
            if let marker = peer.marker { actions.append(.unsubscribe(subscription(for: marker))) }
            peers[id] = nil
        }
        let new = hosts.filter { peers[$0] == nil && endpoints[$0] != nil }.sorted()
        for id in new {
            guard let endpoint = endpoints[id] else { continue }
            peers[id] = Peer(endpoint: endpoint, marker: nil, askedAt: now)
            actions.append(.connect(endpoint))
        }
        subscribe(to: wanted(related), &actions)
        for id in new { actions += mark(id, now: now) }
        if isJoined { actions.append(.joined) }
        return actions
    }

    /// Asks a host for its heads by a subscription that comes after all others.
    mutating func mark(_ id: HostID, now: Duration) -> [Action] {
        var actions: [Action] = []
        if let old = peers[id]?.marker { actions.append(.unsubscribe(subscription(for: old))) }
        let marker = makeMarker()
        peers[id]?.marker = marker
        peers[id]?.askedAt = now
        actions.append(.subscribe(subscription(for: marker)))
        headSoon(now)
        return actions
    }

    func subscription(for marker: [UInt8]) -> [UInt8] {
        Self.markerPrefix + marker + Array(host.rawValue.utf8)
    }

    private func isRelated(_ member: ClusterPicture.Member) -> Bool {
        locals.contains { id, local in
            // The picture may know more than the declaration: the ingress emits whatever somebody handles.
            let emits = members[id].map { local.emits.union($0.emits) } ?? local.emits
            return member.emits.contains(where: local.handles.contains) || member.handles.contains(where: emits.contains)
                || member.provides.contains(where: local.observes.contains)
                || member.observes.contains(where: local.provides.contains)
        }
    }

    private func wanted(_ related: [ClusterPicture.Member]) -> Set<[UInt8]> {
        var topics = Set<Topic>()
        for (id, local) in locals {
            topics.formUnion(local.handles)
            topics.formUnion(local.observes.map(Self.snapshot))
            topics.formUnion([.settlements(of: id), Self.fetch(from: id), Self.replay(for: id)])
        }
        topics.formUnion(related.map { Self.head(of: $0.module) })
        return Set(topics.map(Frame.subscription))
    }

    private mutating func subscribe(to wanted: Set<[UInt8]>, _ actions: inout [Action]) {
        for topic in wanted.subtracting(subscriptions) { actions.append(.subscribe(topic)) }
        for topic in subscriptions.subtracting(wanted) { actions.append(.unsubscribe(topic)) }
        subscriptions = wanted
    }
}
