import ReluxControl
package import ReluxWire

/// The words of journals and hosts on epochs, and their consequences for the modules; the numbers are in ``EpochBook``.
extension Registry {
    /// A host is believed so far beyond what the registry knows.
    private static var pictureHeadroom: UInt64 { 1 << 32 }

    /// Takes in the epochs that the journals of the node name: they know of more than a registry that was lost, or comes from a copy. Called
    /// once, before anything else.
    ///
    /// A process that runs under such an epoch is not of the past for that: nobody has said so.
    ///
    /// - Parameters:
    ///   - epochs: under which each journal was written.
    ///   - heard: by the module whose journal says it: lives of others that it has heard. The registry and a module's own journal may be older copies, both.
    package mutating func learn(written epochs: [ModuleID: Epoch], heard: [ModuleID: [ModuleID: Epoch]] = [:]) {
        for (id, epoch) in epochs.sorted(by: { $0.key < $1.key }) where epoch.rawValue > self.epochs[id] {
            if id != Self.builtIn { self.epochs.note(written: epoch, of: id) }
            // One without any epoch may be new, and its journal left from before.
            if let known = self.epochs.given[id], id != Self.builtIn || known > 1 {
                remark(.journal, "the registry's file is older than the journal of \(id), which was written under epoch \(epoch), and it knows \(known); it goes on behind that", of: id)
            }
        }
        // Names whose epochs are forgotten are below the floor: nobody waits for them.
        let forgotten = self.epochs.written.filter { self.epochs[$0.key] == 0 && $0.value > self.epochs.floor }.keys
        if modules.isEmpty, hosts.isEmpty, !forgotten.isEmpty { journals.recollection = Recollection(members: Set(forgotten)) }
        // This broker has an epoch already.
        if let own = epochs[Self.builtIn]?.rawValue, own >= self.epochs[Self.builtIn] { goOn(behind: own) }
        for (witness, lives) in heard.sorted(by: { $0.key < $1.key }) {
            for (id, epoch) in lives.sorted(by: { $0.key < $1.key }) where epoch < .limit { learn(epoch, of: id, heardBy: witness) }
        }
    }

    private mutating func learn(_ epoch: Epoch, of id: ModuleID, heardBy witness: ModuleID) {
        // The broker's epoch is the next one already.
        let known = id == Self.builtIn ? ownEpoch.rawValue - 1 : epochs.known(of: id) ?? epochs.floor
        guard epoch.rawValue > known else { return }
        remark(
            .journal, "the journal of \(witness) has heard \(id) under epoch \(epoch), and the registry's file and the journal of \(id) know \(known): both are older copies; it goes on behind that", of: id)
        if id == Self.builtIn { goOn(behind: epoch.rawValue) } else { epochs.note(written: epoch, of: id) }
    }

    /// The broker's own node was written, or heard, under that epoch.
    private mutating func goOn(behind epoch: UInt64) {
        epochs.note(given: Epoch(rawValue: epoch + 1), to: Self.builtIn)
        turn.hasPictureChanged = true
    }

    /// Whether only a journal knows the module, because the registry's file was lost: effects that wait in journals are for it. Asks once: its first record
    /// takes the membership over.
    mutating func isTakenFromJournals(_ id: ModuleID) -> Bool { journals.recollection?.members.remove(id) != nil }

    /// Whether the process runs under an epoch that the registry has not heard of, because its file was lost or is an older copy.
    func isLater(_ epoch: Epoch?, of id: ModuleID) -> Bool { epoch.map { $0.rawValue > epochs[id] } ?? false }

    /// Why the module cannot have that many more lives; nil when it can.
    func lackOfEpochs(for lives: UInt64, of id: ModuleID) -> Refusal? {
        guard epochs.lacks(lives, of: id) else { return nil }
        let last = epochs.next(of: id).rawValue - 1
        return Refusal(.staleEpoch, "\(id) has no epoch left: the last was \(last), the limit is \(Epoch.limit); give the module another id")
    }

    /// Why a process cannot go on under an epoch that it says it was given; nil when it can.
    func fault(of claimed: Epoch, of id: ModuleID) -> String? {
        guard !epochs.allows(claimed, of: id), let known = epochs.known(of: id) else { return nil }
        return "\(id) says that it has epoch \(claimed), and neither the registry nor its journal knows more than \(known); its next process gets \(known + 1)"
    }

    /// A process runs under the epoch, whatever becomes of it: an older copy of the registry, or one whose last writing failed, has not heard of it.
    mutating func noteGiven(_ epoch: Epoch, to id: ModuleID) {
        if epochs.allows(epoch, of: id), epochs.note(given: epoch, to: id) { turn.mustPersist = true }
    }

    /// A broker's pictures begin behind its own epoch: a broker that starts with an older copy of the file repeats no number, though nobody
    /// is left to tell it of the later ones. A membership is the number of a picture, and effects are for one membership.
    var nextPictureVersion: UInt64 { max(pictureVersion, (max(1, ownEpoch.rawValue) - 1) << 24) + 1 }

    /// The broker's next picture is later than what the host has, also where the registry is older than that.
    mutating func take(pictureVersion version: UInt64, from host: HostID) {
        guard version > pictureVersion else { return }
        guard version - pictureVersion <= Self.pictureHeadroom else {
            return remark("host \(host) says that it has picture \(version), and this broker is at \(pictureVersion); that is not believed: restart the host")
        }
        pictureVersion = version
    }

    /// Modules that a host has heard in later lives than it was told of: the registry and the module's journal are older copies, both. What it
    /// says now would be taken for the past by all who have heard it.
    mutating func heard(_ lives: [ModuleID: Epoch], from host: HostID) {
        for (id, epoch) in lives.sorted(by: { $0.key < $1.key }) {
            guard let known = epochs.known(of: id), epoch.rawValue > known else { continue }
            guard epochs.isBelieved(epoch, of: id) else {
                remark("host \(host) says that it has heard \(id) under epoch \(epoch), and the registry knows \(known); that is not believed")
                continue
            }
            remark(.journal, "host \(host) has heard \(id) under epoch \(epoch), and the registry and its journal know \(known): both are older copies. It is started again behind that", of: id)
            epochs.note(given: epoch, to: id)
            turn.mustPersist = true
            if id == Self.builtIn { epochs.outlivedBy = epoch }
            if let record = modules[id], record.isLive { restart(record.host, why: "\(id) was heard under epoch \(epoch) already") }
        }
    }

    /// Another process wrote the module's journal under that epoch, and no broker that this one knows of gave it: the process that has the module
    /// now gets the next one.
    mutating func outlived(_ id: ModuleID, by epoch: Epoch, _ host: HostID) {
        guard let record = modules[id], record.isLive, epoch >= record.epoch, let connection = hosts[host]?.connection else { return }
        guard epochs.isBelieved(epoch, of: id) else {
            let message = "its journal was written under epoch \(epoch), and the registry knows \(record.epoch); restart the broker, which reads the journals"
            return refuse(id, Refusal(.staleEpoch, message))
        }
        if let refusal = lackOfEpochs(for: 2, of: id) { return refuse(id, refusal) }
        remark(.journal, "the journal of \(id) was written under epoch \(epoch), and the registry knows \(record.epoch): its file is an older copy. It goes on behind that", of: id)
        noteWritten(epoch, of: id)
        let next = epochs.next(of: id)
        begin(id, next)
        turn.welcomes.append((connection, [id: next]))
    }

    /// The module's journal is as far as that.
    mutating func noteWritten(_ epoch: Epoch, of id: ModuleID) {
        if epochs.isBelieved(epoch, of: id) { epochs.note(written: epoch, of: id) }
    }

    /// The epoch of the broker's own node, one higher in each of its lives.
    ///
    /// Nothing may be journaled under it before a snapshot that has it is on disk.
    package var ownEpoch: Epoch { Epoch(rawValue: max(1, epochs[Self.builtIn])) }
}
