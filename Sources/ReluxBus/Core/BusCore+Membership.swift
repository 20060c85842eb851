package import Relux
package import ReluxControl
package import ReluxLedger
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
        last.forgetContext()
        locals[declaration.id] = Local(
            epoch: epoch, ledger: ledger ?? Ledger(declaration.id, position: epoch.start), handles: Set(declaration.handles),
            emits: Set(declaration.emits), provides: Set(declaration.provides), observes: Set(declaration.observes),
            life: life, contracts: contracts, isHeld: isHeld)
        openLostBook(of: declaration.id)
        for record in late.take(declaration.id) { note(.refused(record), on: RefusedRecord.topic, of: declaration.id) }
        counters.late = late.notes
        // An earlier life may have died before its journal was on the disk: others may rely on what they have heard of it.
        if ledger?.holdsMachine == true { press(declaration.id, now: now) }
        standbys[declaration.id] = nil
        lives.welcome(declaration.id)
        for state in locals[declaration.id]?.ledger.streams.filter({ !$0.key.isReserved }).values.map({ $0 }) ?? [] {
            for entry in state.pending {
                for recipient in entry.outstanding { backlog.add(entry.byteCount, for: recipient) }
            }
        }
        let observed = Set(declaration.observes.compactMap(Topic.snapshots))
        let others = Set(locals.values.filter { $0.ledger.module != declaration.id }.flatMap(\.observes).compactMap(Topic.snapshots))
        snapshots.welcome(observing: observed, besides: others)
        counters.laterLives[declaration.id] = nil
        reindex()
        var actions = refresh(now: now)
        // Hosts that have answered already did so without this module in mind.
        for id in peers.answered { actions += mark(id, now: now) }
        for stream in locals[declaration.id]?.ledger.cursors.keys.sorted() ?? [] where routes.isHeard(stream.topic, by: declaration.id) {
            _ = open(InboundKey(recipient: declaration.id, publisher: stream.publisher, topic: stream.topic))
        }
        for (topic, range) in ledger?.news ?? [] { counters.noteForgotten(by: declaration.id, topic, range) }
        loseFormer(of: declaration.id, &actions)
        forgetFormerCauses(of: declaration.id)
        doubt(declaration.id, now: now)
        meetNeighbours(now, &actions)
        expectAbsent(now: now, &actions)
        // A host that hears us already learns at once what it lacks of what the module has said elsewhere.
        if !peers.joined.isEmpty { clock.head(by: now) }
        return actions
    }

    /// Modules of this process hear from each other what was said before one of them came.
    private mutating func meetNeighbours(_ now: Duration, _ actions: inout [Action]) {
        for publisher in locals.keys.sorted() {
            let topics = locals[publisher]?.ledger.streams.keys.sorted() ?? []
            learnUnnamed(of: [publisher], besides: Set(topics.map { StreamID(publisher: publisher, topic: $0) }))
            for topic in topics {
                for recipient in routes.listeners[topic] ?? [] {
                    let key = InboundKey(recipient: recipient, publisher: publisher, topic: topic)
                    guard open(key), let head = locals[publisher]?.ledger.streams[topic]?.head else { continue }
                    inbound.with(key) { $0.learn(head: head) }
                    inbound.noteProgress(of: key)
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
                where !membership.isRecipient(recipient, since: entry.memberVersion) || membership.members[recipient]?.handles.contains(topic) == false {
                    former.append((EffectRuns(position: entry.position, sequence: entry.sequence), topic, recipient))
                }
            }
        }
        for (effect, topic, recipient) in former { lose(effect, on: topic, of: publisher, at: recipient, &actions) }
    }

    /// Forgets the effects that the module was handling when it was removed: they were lost with its membership, and will not be handled again.
    private mutating func forgetFormerCauses(of module: ModuleID) {
        guard let since = membership.members[module]?.since else { return }
        locals[module]?.ledger.forgetCauses(before: since)
    }

    /// The module runs in this process. Asked so, and not by looking it up: that would copy all that is known of it.
    func isHere(_ module: ModuleID) -> Bool { locals.index(forKey: module) != nil }

    /// The module hears nothing new. What it has said is served as long as somebody needs it and the process lives.
    package mutating func remove(_ module: ModuleID, now: Duration) -> [Action] {
        // Said while it was held, and never accepted.
        early.forget(module)
        guard locals[module] != nil else { return [.left(module)] }
        leaving.insert(module)
        inbound.forget { $0.recipient == module && !$0.topic.isReserved }
        writeSnapshots(of: module)
        snapshots.forgetShown(of: module)
        reindex()
        var actions: [Action] = []
        if !owes(module) {
            purge(module)
            actions.append(.left(module))
        } else {
            clock.headSoon(now)
        }
        return actions + refresh(now: now)
    }

    /// Somebody who runs has not got, or not settled, what the module has said; others will ask the courier.
    func owes(_ module: ModuleID) -> Bool {
        locals[module]?.ledger.streams.values.contains { stream in
            !stream.isSettled
                && stream.pending.contains { $0.outstanding.contains { locals[$0] != nil || membership.members[$0]?.host != nil } }
        } ?? false
    }

    /// A module that leaves and owes nothing any more does not wait for the next heads: they are said now, and it has left.
    mutating func leaveAtOnce(_ now: Duration) {
        guard !leaving.isEmpty, leaving.contains(where: { !owes($0) }) else { return }
        clock.head(by: now)
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
                for recipient in entry.outstanding { backlog.add(-entry.byteCount, for: recipient) }
            }
        }
        locals[module] = nil
        transients.forget(module)
        leaving.remove(module)
        machine.forget(module)
        snapshots.forgetShown(of: module)
        inbound.forget { $0.recipient == module }
        inbound.doubts = inbound.doubts.filter { $0.key.recipient != module }
        reindex()
    }

    /// The broker's word on the members; a picture older than the last one is ignored.
    package mutating func apply(_ new: ClusterPicture, now: Duration) -> [Action] {
        guard let before = membership.apply(new) else { return [] }
        let members = membership.members
        noteLaterLives(of: Set(members.values.lazy.filter { before[$0.module]?.epoch != $0.epoch }.map(\.module)))
        peers.note(hosts: Set(new.hosts.map(\.id)))
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
        clock.headSoon(now)
        for publisher in inbound.laggards { request(from: publisher, now: now, &actions) }
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

    private mutating func reindex() {
        routes.rebuild(locals.reduce(into: [:]) { $0[$1.key] = leaving.contains($1.key) ? [] : $1.value.handles })
    }

    /// Every host that must be heard has answered our marker.
    package var isJoined: Bool { membership.isKnown && peers.haveAnswered }
    /// Every host that must hear us has asked for our heads.
    package var isHeard: Bool { membership.isKnown && peers.haveJoined }
    package var unansweredHosts: [HostID] { peers.unanswered }

    // MARK: Who is heard

    /// Brings connections and subscriptions to what the picture and the local modules ask for.
    mutating func refresh(now: Duration) -> [Action] {
        var actions: [Action] = []
        guard let picture = membership.picture else { return [] }
        let related = picture.members.filter { locals[$0.module] == nil && isRelated($0) }
        let hosts = Set(related.compactMap(\.host) + related.compactMap(\.standby)).subtracting([host])
        let endpoints = Dictionary(picture.hosts.lazy.filter { hosts.contains($0.id) }.map { ($0.id, $0.endpoint) }, uniquingKeysWith: { first, _ in first })
        for peer in peers.remove(besides: endpoints) {
            actions.append(.disconnect(peer.endpoint))
            if let marker = peer.marker { actions.append(.unsubscribe(subscription(for: marker))) }
        }
        let new = peers.add(endpoints, now: now)
        for id in new { if let endpoint = endpoints[id] { actions.append(.connect(endpoint)) } }
        routes.subscribe(to: wanted(related), &actions)
        for id in endpoints.keys.sorted() {
            let lives = Dictionary(related.filter { $0.host == id }.map { ($0.module, $0.epoch) }, uniquingKeysWith: { first, _ in first })
            if peers.note(lives, at: id) || new.contains(id) { actions += mark(id, now: now) }
        }
        if isJoined { actions.append(.joined) }
        return actions
    }

    /// Asks a host for its heads by a subscription that comes after all others.
    mutating func mark(_ id: HostID, now: Duration) -> [Action] {
        var actions: [Action] = []
        let (old, marker) = peers.mark(id, now: now)
        if let old { actions.append(.unsubscribe(subscription(for: old))) }
        actions.append(.subscribe(subscription(for: marker)))
        clock.headSoon(now)
        return actions
    }

    func subscription(for marker: [UInt8]) -> [UInt8] {
        Self.markerPrefix + marker + Array(host.rawValue.utf8)
    }

    func isRelated(_ member: ClusterPicture.Member) -> Bool {
        locals.contains { id, local in
            // The picture may know more than the declaration: the ingress emits whatever somebody handles.
            let emits = membership.members[id].map { local.emits.union($0.emits) } ?? local.emits
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

    private func wanted(_ related: [ClusterPicture.Member]) -> Set<Topic> {
        var topics = Set<Topic>()
        for (id, local) in locals {
            topics.formUnion([.settlements(of: id), Self.fetch(from: id), Self.replay(for: id)])
            guard !leaving.contains(id) else { continue }
            topics.formUnion(local.handles)
            topics.formUnion(local.observes.compactMap(Topic.snapshots))
        }
        return topics.union(related.map { Self.head(of: $0.module) })
    }
}
