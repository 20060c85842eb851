import Relux
import ReluxWire

// What a build before has not said is taken as it meant it: processes of two builds meet while one replaces the other.

extension ClusterPicture.Member {
    enum CodingKeys: String, CodingKey { case module, epoch, since, place, handles, emits, provides, observes, host, standby }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            module: try container.decode(ModuleID.self, forKey: .module), epoch: try container.decode(Epoch.self, forKey: .epoch),
            since: try container.decode(UInt64.self, forKey: .since),
            place: try container.decodeIfPresent(UInt64.self, forKey: .place) ?? 0,
            handles: try container.decode([Topic].self, forKey: .handles), emits: try container.decode([Topic].self, forKey: .emits),
            provides: try container.decode([Topic].self, forKey: .provides),
            observes: try container.decode([Topic].self, forKey: .observes),
            host: try container.decodeIfPresent(HostID.self, forKey: .host),
            standby: try container.decodeIfPresent(HostID.self, forKey: .standby))
    }
}

extension ClusterStatus {
    enum CodingKeys: String, CodingKey { case brokerPid, supervisorPid, phase, picture, modules, notes, barriers }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            brokerPid: try container.decode(Int32.self, forKey: .brokerPid),
            supervisorPid: try container.decode(Int32.self, forKey: .supervisorPid),
            phase: try container.decode(String.self, forKey: .phase), picture: try container.decode(ClusterPicture.self, forKey: .picture),
            modules: try container.decode([Module].self, forKey: .modules), notes: try container.decode([String].self, forKey: .notes),
            barriers: try container.decodeIfPresent([Barrier].self, forKey: .barriers) ?? [])
    }
}
