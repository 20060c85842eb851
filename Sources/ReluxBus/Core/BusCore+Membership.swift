package import Relux
package import ReluxControl
package import ReluxPlugin

extension BusCore {
    /// A module of this process joins the bus under its epoch, with what its journal says of its earlier lives.
    ///
    /// - Parameters:
    ///   - life: of the module in this process; 0 when it does not matter.
    ///   - isHeld: what it says waits for ``open(_:now:)``.
    ///   - contracts: fingerprints of the effect types that it was built with.
    package mutating func add(
        _ declaration: ModuleDeclaration, epoch: Epoch, ledger: Ledger? = nil, life: UInt64 = 0, isHeld: Bool = false,
        contracts: [Topic: UInt64] = [:], now: Duration
    ) -> [Action] {
        if locals[declaration.id] != nil {
            purge(declaration.id)
            // The journal that its ledger was read from does not have the draft.
            draft.remove(declaration.id)
        }
        // Its contracts may be other ones now.
        lastContext = nil
        locals[declaration.id] = Local(
            epoch: epoch, ledger: ledger ?? Ledger(declaration.id, position: epoch.start), handles: Set(declaration.handles),
            emits: Set(declaration.emits), provides: Set(declaration.provides), observes: Set(declaration.observes),
            life: life, contracts: contracts)
        openLostBook(of: declaration.id)
        for record in late.take(declaration.id) { note(.refused(record), on: RefusedRecord.topic, of: declaration.id) }
        counters.late = late.lines
        // An earlier life may have died before its journal was on the disk: others may rely on what they have heard of it.
        if ledger?.holdsMachine == true { press(declaration.id, now: now) }
        if isHeld { held.insert(declaration.id) }
        standbys[declaration.id] = nil
        heardEpochs[declaration.id] = nil
        // Hosts have named their streams for the modules of that moment: they have to say again where a stream goes on for the newcomer.
        namedEpochs = [:]
        for state in locals[declaration.id]?.ledger.streams.filter({ !$0.key.isReserved }).values.map({ $0 }) ?? [] {
            for entry in state.pending {
                for recipient in entry.outstanding { account(entry.byteCount, for: recipient) }
            }
        }
        // The newcomer has not heard what the others here have, who must not go back for it.
        let observed = Set(declaration.observes.compactMap(Topic.snapshots))
        let others = Set(locals.values.filter { $0.ledger.module != declaration.id }.flatMap(\.observes).compactMap(Topic.snapshots))
        heardSnapshots = heardSnapshots.filter { !observed.contains($0.key.topic) || others.contains($0.key.topic) }
        for stream in heardSnapshots.keys where observed.contains(stream.topic) { heardSnapshots[stream]?.isWanted = true }
        counters.laterLives[declaration.id] = nil
        reindex()
        var actions = refresh(now: now)
        // Hosts that have answered already did so without this module in mind.
        for id in peers.keys.sorted() where peers[id]?.marker == nil { actions += mark(id, now: now) }
        for stream in locals[declaration.id]?.ledger.cursors.keys.sorted() ?? [] where isHeard(stream, by: declaration.id) {
            _ = open(InboundKey(recipient: declaration.id, publisher: stream.publisher, topic: stream.topic))
        }
        for (topic, range) in ledger?.news ?? [] { counters.noteForgotten(by: declaration.id, topic, range) }
        loseFormer(of: declaration.id, &actions)
        forgetFormerCauses(of: declaration.id)
        doubt(declaration.id, now: now)
        meetNeighbours(now, &actions)
        expectAbsent(now: now, &actions)
        // A host that hears us already learns at once what it lacks of what the module has said elsewhere.
        if !joinedUs.isEmpty { headDueAt = now }
        return actions
    }

    private func isHeard(_ stream: StreamID, by module: ModuleID) -> Bool { listeners[stream.topic]?.contains(module) == true }

    /// Modules of this process hear from each other what was said before one of them came.
    private mutating func meetNeighbours(_ now: Duration, _ actions: inout [Action]) {
        for publisher in locals.keys.sorted() {
            let topics = locals[publisher]?.ledger.streams.keys.sorted() ?? []
            learnUnnamed(of: [publisher], besides: Set(topics.map { StreamID(publisher: publisher, topic: $0) }))
            for topic in topics {
                for recipient in listeners[topic] ?? [] {
                    let key = InboundKey(recipient: recipient, publisher: publisher, topic: topic)
                    guard open(key), let head = locals[publisher]?.ledger.streams[topic]?.head else { continue }
                    withInbound(key) { $0.learn(head: head) }
                    noteProgress(of: key)
                    // An earlier life may have died before it could say so.
                    if topic.isReserved { acknowledgeSoon(key, now) }
                }
            }
            request(from: publisher, now: now, &actions)
        }
    }

    /// Ends as lost the module's effects that wait for recipients that are none, or are others under the same name.
    mutating func loseFormer(of publisher: ModuleID, _ actions: inout [Action]) {
        var former: [(effect: EffectRuns, topic: Topic, recipient: ModuleID)] = []
        for (topic, state) in locals[publisher]?.ledger.streams.sorted(by: { $0.key < $1.key }) ?? [] where !topic.isReserved {
            for entry in state.pending {
                for recipient in entry.outstanding
                where !isRecipient(recipient, since: entry.memberVersion) || members[recipient]?.handles.contains(topic) == false {
                    former.append((EffectRuns(position: entry.position, sequence: entry.sequence), topic, recipient))
                }
            }
        }
        for (effect, topic, recipient) in former { lose(effect, on: topic, of: publisher, at: recipient, &actions) }
    }

    /// Forgets the effects that the module was handling when it was removed: they were lost with its membership, and will not be handled again.
    private mutating func forgetFormerCauses(of module: ModuleID) {
        guard let since = members[module]?.since else { return }
        locals[module]?.ledger.forgetCauses(before: since)
    }

    /// The module runs in this process. Asked so, and not by looking it up: that would copy all that is known of it.
    func isHere(_ module: ModuleID) -> Bool { locals.index(forKey: module) != nil }

    /// The module was a recipient when that membership held, and has been one ever since.
    func isRecipient(_ module: ModuleID, since version: UInt64 = .max) -> Bool {
        // In place, or all that the picture has of it would be copied.
        guard hasPicture else { return true }
        guard let place = members.index(forKey: module) else { return false }
        return members.values[place].since <= version
    }

    /// The module hears nothing new. What it has said is served as long as somebody needs it and the process lives.
    package mutating func remove(_ module: ModuleID, now: Duration) -> [Action] {
        // Said while it was held, and never accepted.
        early[module] = nil
        earlySnapshots[module] = nil
        guard locals[module] != nil else { return [.left(module)] }
        leaving.insert(module)
        forgetHeard { $0.recipient == module && !$0.topic.isReserved }
        writeSnapshots(of: module)
        snapshots = snapshots.filter { $0.key.publisher != module }
        reindex()
        var actions: [Action] = []
        if !owes(module) {
            purge(module)
            actions.append(.left(module))
        } else {
            headSoon(now)
        }
        return actions + refresh(now: now)
    }

    /// Somebody who runs has not got, or not settled, what the module has said; others will ask the courier.
    func owes(_ module: ModuleID) -> Bool {
        locals[module]?.ledger.streams.values.contains { stream in
            !stream.isSettled
                && stream.pending.contains { $0.outstanding.contains { locals[$0] != nil || members[$0]?.host != nil } }
        } ?? false
    }

    /// A module that leaves and owes nothing any more does not wait for the next heads: they are said now, and it has left.
    mutating func leaveAtOnce(_ now: Duration) {
        guard !leaving.isEmpty, leaving.contains(where: { !owes($0) }) else { return }
        headDueAt = min(headDueAt ?? now, now)
    }

    /// The module's journal is closed now, whatever it still owes.
    package mutating func close(_ module: ModuleID, now: Duration) -> [Action] {
        guard leaving.contains(module) else { return [] }
        purge(module)
        return [.left(module)] + refresh(now: now)
    }

    /// Nobody needs what the module has said any more.
    package func isSettled(_ module: ModuleID) -> Bool { locals[module]?.ledger.isSettled ?? true }

    mutating func purge(_ module: ModuleID) {
        for (topic, state) in locals[module]?.ledger.streams ?? [:] where !topic.isReserved {
            for entry in state.pending {
                for recipient in entry.outstanding { account(-entry.byteCount, for: recipient) }
            }
        }
        locals[module] = nil
        transients.forget(module)
        held.remove(module)
        leaving.remove(module)
        machine.remove(module)
        snapshots = snapshots.filter { $0.key.publisher != module }
        forgetHeard { $0.recipient == module }
        doubts = doubts.filter { $0.key.recipient != module }
        reindex()
    }

    /// The broker's word on the members; a picture older than the last one is ignored.
    package mutating func apply(_ new: ClusterPicture, now: Duration) -> [Action] {
        if let picture, picture.version >= new.version { return [] }
        let before = members
        picture = new
        hasPicture = true
        members = Dictionary(new.members.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first })
        noteLaterLives(of: Set(members.values.lazy.filter { before[$0.module]?.epoch != $0.epoch }.map(\.module)))
        let hosts = Set(new.hosts.map(\.id))
        joinedUs = joinedUs.union(strangers).intersection(hosts)
        strangers.subtract(hosts)
        var actions: [Action] = []
        for (id, member) in before.sorted(by: { $0.key < $1.key }) {
            if member.host != nil, members[id]?.host == nil { markStale(member, &actions) }
            guard let present = members[id], locals[id] == nil, member.host != nil else { continue }
            if present.host == nil || present.epoch != member.epoch {
                actions.append(.interrupted(id, outstanding(at: id)))
            }
        }
        for id in locals.keys.sorted() {
            loseFormer(of: id, &actions)
            forgetFormerCauses(of: id)
            if let last = before[id], let present = members[id], last.standby != present.standby, present.standby != nil,
                last.epoch == present.epoch
            {
                actions.append(.expectHandOver(id))
            }
        }
        loseTransients(before: before, &actions)
        actions += refresh(now: now)
        noteAbsent(before: before, now: now, &actions)
        // A module may be back that has to know what we have settled.
        headSoon(now)
        for publisher in Set(lagging.map(\.publisher)).sorted() { request(from: publisher, now: now, &actions) }
        leaveAtOnce(now)
        forgetNames()
        forgetLostBooks()
        return actions
    }

    /// Effects of this process that the module has not settled, oldest first and not more than a report can hold.
    private func outstanding(at recipient: ModuleID) -> [EffectID] {
        var found: [EffectID] = []
        for (id, local) in locals.sorted(by: { $0.key < $1.key }) {
            for (topic, state) in local.ledger.streams.sorted(by: { $0.key < $1.key }) where !topic.isReserved {
                for entry in state.outstanding(for: recipient) where found.count < 256 {
                    found.append(EffectID(module: id, position: entry.position))
                }
            }
        }
        return found.sorted()
    }

    mutating func forgetHeard(where isForgotten: (InboundKey) -> Bool) {
        inbound = inbound.filter { !isForgotten($0.key) }
        lagging = lagging.filter { !isForgotten($0) }
        transientHeads = transientHeads.filter { !isForgotten($0.key) }
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
            guard !leaving.contains(id) else { continue }
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
        let hosts = Set(related.compactMap(\.host) + related.compactMap(\.standby)).subtracting([host])
        let endpoints = Dictionary(picture.hosts.map { ($0.id, $0.endpoint) }, uniquingKeysWith: { first, _ in first })
        for (id, peer) in peers.sorted(by: { $0.key < $1.key }) where !hosts.contains(id) || endpoints[id] != peer.endpoint {
            actions.append(.disconnect(peer.endpoint))
            if let marker = peer.marker { actions.append(.unsubscribe(subscription(for: marker))) }
            peers[id] = nil
            joinedUs.remove(id)
        }
        var new = hosts.filter { peers[$0] == nil && endpoints[$0] != nil }
        for id in new.sorted() {
            guard let endpoint = endpoints[id] else { continue }
            peers[id] = Peer(endpoint: endpoint, marker: nil, askedAt: now)
            actions.append(.connect(endpoint))
        }
        subscribe(to: wanted(related), &actions)
        for id in peers.keys {
            let lives = Dictionary(related.filter { $0.host == id }.map { ($0.module, $0.epoch) }, uniquingKeysWith: { first, _ in first })
            if peers[id]?.lives != lives {
                // Other modules, or later lives of them: their streams are not named yet.
                new.insert(id)
                peers[id]?.lives = lives
            }
        }
        for id in new.sorted() { actions += mark(id, now: now) }
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

    func isRelated(_ member: ClusterPicture.Member) -> Bool {
        locals.contains { id, local in
            // The picture may know more than the declaration: the ingress emits whatever somebody handles.
            let emits = members[id].map { local.emits.union($0.emits) } ?? local.emits
            return member.emits.contains(where: local.handles.contains) || member.handles.contains(where: emits.contains)
                || member.provides.contains(where: local.observes.contains)
                || member.observes.contains(where: local.provides.contains)
        } || standbys.contains { id, declaration in
            id != member.module
                && (member.emits.contains(where: declaration.handles.contains) || member.handles.contains(where: declaration.emits.contains)
                    || member.provides.contains(where: declaration.observes.contains)
                    || member.observes.contains(where: declaration.provides.contains))
        }
    }

    private func wanted(_ related: [ClusterPicture.Member]) -> Set<[UInt8]> {
        var topics = Set<Topic>()
        for (id, local) in locals {
            topics.formUnion([.settlements(of: id), Self.fetch(from: id), Self.replay(for: id)])
            guard !leaving.contains(id) else { continue }
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
