import BusProbeKit
import Relux
import ReluxControl
import Synchronization

extension World {
    /// Sets a member up on a host, with the patience of a watchdog unless the test is about deadlines.
    ///
    /// A member that was there before begins its next epoch and keeps its place.
    func join(
        _ id: ModuleID, on name: String, handles: [Domain: Script] = [:], emits: [Domain] = [], provides: Bool = false,
        observes: Bool = false, isSerial: Bool = false, runningLimit: Int = 64, deadline: Duration = .seconds(60),
        bringsTypes: Bool = true
    ) async throws {
        var member = Member(id: id, deadlineMilliseconds: Int(deadline / .milliseconds(1)))
        member.handles = handles
        member.emits = emits
        member.provides = provides
        member.observes = observes
        member.isSerial = isSerial
        member.runningLimit = runningLimit
        member.bringsTypes = bringsTypes
        member = note(member, on: name)
        _ = try await obeying(name).perform(.join(member)).checked()
    }

    /// Another host takes the member over from the one that has it, in its next epoch and with the same scripts.
    ///
    /// - Parameter announces: that host is named in a picture before, so that all are connected to it in time.
    func handOver(_ id: ModuleID, to name: String, announces: Bool = true) async throws {
        guard let (member, host) = state.withLock({ $0.members[id].map { ($0.member, $0.host) } }), let host else {
            throw Unknown(what: "\(id)")
        }
        if announces {
            state.withLock { $0.standbys[id] = name }
            try await publish()
        }
        _ = try await obeying(host).perform(.handOver(id)).checked()
        state.withLock { $0.standbys[id] = nil }
        _ = try await obeying(name).perform(.join(note(member, on: name))).checked()
        try await publish()
    }

    /// The broker has taken a module that no process runs yet.
    func declare(_ id: ModuleID, handles: [Domain]) {
        var member = Member(id: id, deadlineMilliseconds: 0)
        member.epoch = 0
        member.handles = Dictionary(uniqueKeysWithValues: handles.map { ($0, .succeed) })
        _ = note(member, on: nil)
    }

    private func note(_ member: Member, on host: String?) -> Member {
        state.withLock { state in
            let known = state.members[member.id]
            var member = member
            if let known { member.epoch = known.member.epoch + 1 }
            state.members[member.id] = (member, known?.since ?? state.version + 1, host)
            return member
        }
    }

    /// Tells all hosts who is who now; the modules named have left the cluster.
    func publish(without gone: [ModuleID] = []) async throws {
        let (picture, hosts) = state.withLock { state -> (ClusterPicture, [any Obeying]) in
            for id in gone { state.members[id] = nil }
            state.version += 1
            return (draw(state), state.hosts.values.map(\.obeying))
        }
        for host in hosts { _ = try await host.perform(.apply(picture)).checked() }
    }

    private func draw(_ state: State) -> ClusterPicture {
        let members = state.members.values.sorted { $0.member.id < $1.member.id }.map { entry in
            let member = entry.member
            return ClusterPicture.Member(
                module: member.id, epoch: Epoch(member.epoch), since: entry.since,
                handles: member.handles.keys.map(\.topic).sorted(), emits: member.emits.map(\.topic).sorted(),
                provides: member.provides ? [Count.wireTopic] : [], observes: member.observes ? [Count.wireTopic] : [],
                host: entry.host.map { HostID(rawValue: $0) }, standby: state.standbys[member.id].map { HostID(rawValue: $0) })
        }
        let hosts = state.hosts.sorted { $0.key < $1.key }.map { name, host in
            ClusterPicture.Host(id: HostID(rawValue: name), endpoint: host.address, tapEndpoint: "")
        }
        return ClusterPicture(version: state.version, members: members, hosts: hosts)
    }
}
