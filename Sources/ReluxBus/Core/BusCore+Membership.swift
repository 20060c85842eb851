package import ReluxPlugin
package import Relux

extension BusCore {
    /// A module of this process joins the bus under its epoch.
    package mutating func add(_ declaration: ModuleDeclaration, epoch: Epoch, now: Duration) -> [Action] {
        if locals[declaration.id] != nil { purge(declaration.id) }
        locals[declaration.id] = Local(
            epoch: epoch, handles: Set(declaration.handles), emits: Set(declaration.emits),
            provides: Set(declaration.provides), observes: Set(declaration.observes))
        // The newcomer has not heard what the others here have.
        let observed = Set(declaration.observes.compactMap(Topic.snapshots))
        heardSnapshots = heardSnapshots.filter { !observed.contains($0.key.topic) }
        reindex()
        var actions = refresh(now: now)
        // Hosts that have answered already did so without this module in mind.
        for id in peers.keys.sorted() where peers[id]?.marker == nil { actions += mark(id, now: now) }
        actions += appendEarly(declaration.id, now: now)
        return actions
    }

    /// The module hears nothing new. What it has said is served as long as somebody needs it and the process lives.
    package mutating func remove(_ module: ModuleID, now: Duration) -> [Action] {
        guard locals[module] != nil else { return [] }
        locals[module]?.isLeaving = true
        forgetHeard { $0.recipient == module && !$0.topic.isReserved }
        snapshots = snapshots.filter { $0.key.publisher != module }
        reindex()
        if isSettled(module) { purge(module) } else { headSoon(now) }
        return refresh(now: now)
    }

    /// Nobody needs what the module has said any more.
    package func isSettled(_ module: ModuleID) -> Bool {
        outbound.allSatisfy { $0.key.publisher != module || $0.value.isSettled }
    }

    mutating func purge(_ module: ModuleID) {
        locals[module] = nil
        for (stream, state) in outbound where stream.publisher == module {
            for (recipient, _) in state.starts() { drop(recipient, from: stream) }
        }
        outbound = outbound.filter { $0.key.publisher != module }
        settledSequences = settledSequences.filter { $0.key.publisher != module }
        announced = announced.filter { $0.key.publisher != module }
        snapshots = snapshots.filter { $0.key.publisher != module }
        forgetHeard { $0.recipient == module }
        reindex()
    }

    /// The broker's word on who is who; an older one than the last is ignored.
    package mutating func apply(_ new: ClusterPicture, now: Duration) -> [Action] {
        if let picture, picture.version >= new.version { return [] }
        let before = members
        picture = new
        members = Dictionary(new.members.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first })
        let hosts = Set(new.hosts.map(\.id))
        joinedUs = joinedUs.union(strangers).intersection(hosts)
        strangers.subtract(hosts)
        var actions: [Action] = []
        var recipients: [Topic: [ModuleID]] = [:]
        for member in new.members {
            for topic in member.handles { recipients[topic, default: []].append(member.module) }
        }
        actions.append(.setMembership(version: new.version, recipients))
        for (id, member) in before.sorted(by: { $0.key < $1.key }) {
            if member.host != nil, members[id]?.host == nil { markStale(member, &actions) }
            guard members[id] == nil else { continue }
            if locals[id]?.isLeaving == true { purge(id) }
            guard locals[id] == nil else { continue }
            bury(id, after: member.epoch)
            actions.append(.lose(id))
        }
        buried.subtract(members.keys)
        for (id, member) in members where before[id] == nil {
            // It was buried and has come back in the same life after all.
            if let heard = heardEpochs[id], heard > member.epoch { heardEpochs[id] = member.epoch }
        }
        actions += refresh(now: now)
        for publisher in Set(lagging.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
        return actions
    }

    /// That life of the module is over: what pended on it is lost, and it starts at the head when it comes back.
    package func lost(_ module: ModuleID) -> [Action] { [.lose(module)] }

    /// Lets go what waits for the module; called once all that was accepted before the loss has been appended.
    package mutating func forget(_ module: ModuleID) {
        for stream in outbound.keys { drop(module, from: stream) }
    }

    private mutating func drop(_ recipient: ModuleID, from stream: StreamID) {
        guard let (byteCount, records) = outbound[stream]?.drop(recipient) else { return }
        if !stream.topic.isReserved { account(-byteCount, for: recipient) }
        for case .effect(let effect) in records {
            positions[EffectID(module: stream.publisher, position: effect.position)] = nil
        }
    }

    /// A publisher that was removed: what is still on its way from it comes too late.
    private mutating func bury(_ publisher: ModuleID, after epoch: Epoch) {
        forgetHeard { $0.publisher == publisher }
        buried.insert(publisher)
        let last = max(epoch, heardEpochs[publisher] ?? epoch).rawValue
        heardEpochs[publisher] = Epoch(last == .max ? last : last + 1)
    }

    private mutating func markStale(_ member: ClusterPicture.Member, _ actions: inout [Action]) {
        for topic in member.provides.compactMap(Topic.snapshots) {
            let stream = StreamID(publisher: member.module, topic: topic)
            heardSnapshots[stream] = nil
            actions.append(.snapshot(stream.topic, payload: [], stale: true))
        }
    }

    mutating func forgetHeard(where isForgotten: (InboundKey) -> Bool) {
        inbound = inbound.filter { !isForgotten($0.key) }
        lagging = lagging.filter { !isForgotten($0) }
        acknowledgements = acknowledgements.filter { !isForgotten($0) }
    }

    private mutating func reindex() {
        listeners = [:]
        fetched = [:]
        replayed = [:]
        for (id, local) in locals.sorted(by: { $0.key < $1.key }) {
            listeners[.settlements(of: id), default: []].append(id)
            fetched[Self.fetch(from: id)] = id
            replayed[Self.replay(for: id)] = id
            guard !local.isLeaving else { continue }
            for topic in local.handles { listeners[topic, default: []].append(id) }
        }
    }

    /// Every host that must be heard has answered our marker.
    package var isJoined: Bool { picture != nil && peers.values.allSatisfy { $0.marker == nil } }
    /// Every host that must hear us has asked for our heads.
    package var isHeard: Bool { picture != nil && peers.keys.allSatisfy(joinedUs.contains) }
    package var unansweredHosts: [HostID] { peers.filter { $0.value.marker != nil }.map(\.key).sorted() }

    // MARK: Who is heard

    /// Brings connections and subscriptions to what the picture and the local modules ask for.
    mutating func refresh(now: Duration) -> [Action] {
        var actions: [Action] = []
        guard let picture else { return [] }
        let related = picture.members.filter { locals[$0.module] == nil && isRelated($0) }
        let hosts = Set(related.compactMap(\.host)).subtracting([host])
        let endpoints = Dictionary(picture.hosts.map { ($0.id, $0.endpoint) }, uniquingKeysWith: { first, _ in first })
        for (id, peer) in peers.sorted(by: { $0.key < $1.key }) where !hosts.contains(id) || endpoints[id] != peer.endpoint {
            actions.append(.disconnect(peer.endpoint))
            if let marker = peer.marker { actions.append(.unsubscribe(subscription(for: marker))) }
            peers[id] = nil
            joinedUs.remove(id)
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
            topics.formUnion([.settlements(of: id), Self.fetch(from: id), Self.replay(for: id)])
            guard !local.isLeaving else { continue }
            topics.formUnion(local.handles)
            topics.formUnion(local.observes.compactMap(Topic.snapshots))
        }
        topics.formUnion(related.map { Self.head(of: $0.module) })
        return Set(topics.map(Frame.subscription))
    }

    /// Actions come in an order that follows from the input alone, so that a run can be repeated.
    private static func sorted(_ prefixes: Set<[UInt8]>) -> [[UInt8]] {
        prefixes.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private mutating func subscribe(to wanted: Set<[UInt8]>, _ actions: inout [Action]) {
        for topic in Self.sorted(wanted.subtracting(subscriptions)) { actions.append(.subscribe(topic)) }
        for topic in Self.sorted(subscriptions.subtracting(wanted)) { actions.append(.unsubscribe(topic)) }
        subscriptions = wanted
    }
}
