package import ReluxControl
import ReluxPlugin
package import ReluxWire

/// The part of the registry that outlives the broker.
package struct RegistrySnapshot: Codable, Sendable {
    package var pictureVersion: UInt64
    package var boot: BootPhase
    package var supervisorInstance: String
    package var epochs: [ModuleID: UInt64]
    package var hosts: [HostRecord]
    package var modules: [ModuleRecord]
    /// Absent in files of brokers that did not keep whole books.
    package var lostBy: [ModuleID: LostBook]?
    /// These three are absent in files of brokers that handed nothing over.
    package var handovers: [Handover]?
    package var served: [ModuleID: ServedVersions]?
    var outcomes: [HandoverOutcome]?
    /// Modules that a process has been told to let go of and may still write.
    var parting: [HostID: [ModuleID]]?
    /// Absent in files of brokers that did not number their orders.
    package var orders: UInt64?
    /// Loads that wait until something of the same name has gone.
    var queuedLoads: [HostSpec]?
    /// These two are absent in files of brokers that began anew with each start.
    var filed: [HostSpec]?
    var unloaded: Set<ModuleID>?
    /// Absent in files of brokers that did not know how far journals had come.
    package var lives: [ModuleID: KnownLives]?
    /// The highest epoch of all forgotten names; absent while none is forgotten.
    var epochFloor: UInt64?
}

extension RegistrySnapshot {
    /// Every packed plugin that the hosts run, for bringing the contracts back; and what served last of each module.
    package var pluginDirectories: [String] {
        let former = modules.compactMap { served?[$0.id]?.directory }
        return Array(Set(hosts.flatMap(\.spec.plugins) + modules.map(\.directory) + former + (queuedLoads ?? []).flatMap(\.plugins))).sorted()
    }
}

extension Registry {
    package var snapshot: RegistrySnapshot {
        RegistrySnapshot(
            pictureVersion: pictureVersion, boot: boot, supervisorInstance: seat.instance, epochs: epochs.given,
            hosts: hosts.values.sorted { $0.id < $1.id }, modules: modules.values.sorted { $0.order < $1.order }.map(written),
            lostBy: losses.byPublisher, handovers: handovers.values.sorted { $0.module < $1.module }, served: served, outcomes: notices.outcomes,
            parting: partings.isEmpty ? nil : partings.byHost.mapValues { $0.sorted() },
            orders: startQueue.latest,
            queuedLoads: startQueue.loads.isEmpty ? nil : startQueue.loads.map(\.host), filed: filed.hosts, unloaded: filed.unloaded,
            lives: journals.lives.isEmpty ? nil : journals.lives, epochFloor: epochs.floor > 0 ? epochs.floor : nil)
    }

    /// A record with the time in quarantine so far.
    private func written(_ record: ModuleRecord) -> ModuleRecord {
        guard record.state.phase == .quarantined else { return record }
        var record = record
        record.quarantinedMilliseconds = quarantineTime(of: record).wholeMilliseconds
        return record
    }

    /// Takes up where an earlier broker ended: same members, same epochs, processes presumed alive until the supervisor
    /// or the time says otherwise. `plugins` by directory brings the contracts back.
    package init(
        configuration: RegistryConfiguration, restoring snapshot: RegistrySnapshot,
        plugins: [String: PluginFacts] = [:], now: Duration
    ) {
        self.init(configuration: configuration)
        clock = RegistryClock(now: now)
        pictureVersion = snapshot.pictureVersion
        seat.instance = snapshot.supervisorInstance
        epochs = EpochBook(given: snapshot.epochs, floor: snapshot.epochFloor ?? 0)
        losses = Losses(snapshot.lostBy ?? [:])
        journals.lives = snapshot.lives ?? [:]
        // A cluster that was going down has gone down.
        if snapshot.boot != .closing { boot = snapshot.boot }
        for var host in snapshot.hosts {
            host.modules = []
            host.answered(clock.now)
            host.since = clock.now
            hosts[host.id] = host
            startQueue.note(host.process, of: host.id)
        }
        for var record in snapshot.modules where hosts[record.host] != nil && modules[record.id] == nil {
            record.present.since = clock.now
            record.present.startedAt = clock.time
            record.present.instance.wasReady = record.state.phase == .ready
            record.present.instance.mayBeReady = record.present.instance.wasReady
            epochs.note(given: record.epoch, to: record.id)
            let isMember = record.isMember
            modules[record.id] = record
            hosts[record.host]?.modules.append(record.id)
            if isMember { admit(record.id) }
            index(record.id)
            if case .manifest(_, _, let contract, _, _) = plugins[record.directory] { index.contracts[record.id] = contract }
        }
        served = snapshot.served ?? [:]
        noteFormerBuilds(of: Array(modules.keys), plugins)
        notices.restore(snapshot.outcomes ?? [])
        filed = FiledMembers(snapshot.filed ?? [], unloaded: snapshot.unloaded ?? [])
        for handover in snapshot.handovers ?? [] { restore(handover) }
        startQueue.note(order: snapshot.orders ?? 0)
        partings = Partings((snapshot.parting ?? [:]).filter { hosts[$0.key]?.isLive == true }.mapValues { Set($0) })
        for spec in snapshot.queuedLoads ?? [] { startQueue.loads.append((spec, plugins.filter { spec.plugins.contains($0.key) })) }
        // A broker that was killed may not have come to say so.
        for (id, epoch) in epochs.given.sorted(by: { $0.key < $1.key }) where id != Self.builtIn && modules[id]?.isLive != true && epoch > 0 {
            publish(.instanceEnded(module: id, epoch: epoch))
        }
        // The broker's own node is an instance too.
        epochs.note(given: Epoch(rawValue: epochs[Self.builtIn] + 1), to: Self.builtIn)
        turn.hasPictureChanged = true
    }
}
