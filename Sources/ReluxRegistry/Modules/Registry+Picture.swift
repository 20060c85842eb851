package import ReluxControl
import ReluxPlugin
import ReluxWire

extension Registry {
    /// Who belongs to the cluster and where they are; the built-in node among them.
    package var picture: ClusterPicture {
        let members = modules.values.filter(\.isMember).sorted { $0.id < $1.id }
        var list = members.compactMap(member)
        var places = hosts.values.filter(\.isLive).sorted { $0.id < $1.id }.map {
            ClusterPicture.Host(id: $0.id, endpoint: $0.endpoint, tapEndpoint: $0.tapEndpoint)
        }
        if let broker = configuration.brokerHost {
            // The ingress takes whatever somebody handles.
            var emits = Set(list.flatMap(\.handles))
            emits.insert(Self.builtInTopic)
            list.append(
                ClusterPicture.Member(
                    module: Self.builtIn, epoch: Epoch(rawValue: epochs[Self.builtIn]), handles: [],
                    emits: emits.sorted(), provides: [], observes: [], host: broker.id))
            places.append(broker)
        }
        return ClusterPicture(version: pictureVersion, members: list, hosts: places)
    }

    private func member(_ record: ModuleRecord) -> ClusterPicture.Member? {
        guard let declaration = record.declaration else { return nil }
        return ClusterPicture.Member(
            module: record.id, epoch: record.epoch, since: record.memberSince, place: UInt64(record.kind.rank) << 56 | record.order, handles: declaration.handles,
            emits: declaration.emits, provides: declaration.provides, observes: declaration.observes,
            host: record.isLive ? record.host : nil, standby: standby(of: record), absence: index.absences[record.id])
    }

    /// The host that may have the module next: listeners connect to it beforehand.
    private func standby(of record: ModuleRecord) -> HostID? {
        guard let handover = handovers[record.id] else { return nil }
        let other = record.host == handover.to ? handover.from : handover.to
        return handover.stage != .committed && other != record.host && hosts[other]?.isLive == true ? other : nil
    }

    static let builtInTopic: Topic = "Cluster.Business.Effect"
}
