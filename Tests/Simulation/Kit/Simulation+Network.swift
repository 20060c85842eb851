import Relux
@testable import ReluxBus
import ReluxControl
import ReluxTestKit

/// Links between processes: in order, but for frames that overtake; frames get lost and come twice.
extension Simulation {
    mutating func publish(_ bytes: [UInt8], _ life: Int) {
        if options.sabotage == .noRepair, bytes.starts(with: Array("~fetch".utf8)) { return }
        if options.sabotage == .noHead, bytes.starts(with: Array("~head".utf8)) { return }
        guard let peers = known[life] else { return }
        // All subscriptions but markers end with the separator, so that comparing whole prefixes is enough.
        let isMarker = bytes.first == 0xff
        let prefix = Array(bytes[...(bytes.firstIndex(of: 0) ?? 0)])
        for peer in peers.keys.sorted() {
            guard hosts[peer] != nil, let prefixes = peers[peer],
                isMarker ? prefixes.contains(where: bytes.starts) : prefixes.contains(prefix)
            else { continue }
            if !isCalm, random.chance(of: options.dropped) || isApart(life, peer) || isOverfull(peer) { continue }
            if !isCalm, random.chance(of: options.reordered) {
                at(later(0...60), .frame(to: peer, bytes))
                continue
            }
            send(.frame(to: peer, bytes), life, peer)
            if !isCalm, random.chance(of: options.doubled) { send(.frame(to: peer, bytes), life, peer) }
        }
    }

    /// In order on its link.
    mutating func send(_ event: Event, _ from: Int, _ to: Int) {
        var time = max(later(0...15), lastOnLink[Link(from: from, to: to)] ?? .zero)
        // A subscription is said again when the peers are connected again.
        if case .subscription = event, let until = partitionEnd(from, to) { time = max(time, until) }
        lastOnLink[Link(from: from, to: to)] = time
        at(time, event)
    }

    private func partitionEnd(_ one: Int, _ other: Int) -> Duration? {
        guard !partitions.isEmpty, let left = hosts[one]?.id, let right = hosts[other]?.id else { return nil }
        return partitions[[left, right]].flatMap { $0 > now ? $0 : nil }
    }

    private func isApart(_ one: Int, _ other: Int) -> Bool { partitionEnd(one, other) != nil }

    /// The pipe of one that is stopped fills up.
    private mutating func isOverfull(_ life: Int) -> Bool { (frozen[life].map { $0 > now } ?? false) && random.chance(of: 50) }

    // MARK: Subscriptions

    mutating func take(_ prefix: [UInt8], at life: Int, from peer: Int, isAdded: Bool) {
        guard hosts[life] != nil, hosts[peer] != nil else { return }
        if isAdded {
            known[life, default: [:]][peer, default: []].append(prefix)
            step(life, writes: false) { $0.subscribed(prefix, now: $1) }
        } else if let index = known[life]?[peer]?.firstIndex(of: prefix) {
            known[life]?[peer]?.remove(at: index)
        }
    }

    /// Peers that were connected to the address reconnect and subscribe again, in byte order.
    mutating func reconnect(_ life: Int) {
        guard let id = hosts[life]?.id else { return }
        for (other, host) in hosts.sorted(by: { $0.key < $1.key }) where other != life && host.connections.contains(id.rawValue) {
            for prefix in host.subscriptions.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                send(.subscription(at: life, from: other, prefix, isAdded: true), other, life)
            }
        }
    }

    mutating func connect(_ host: SimulatedHost, _ endpoint: String) {
        host.connections.append(endpoint)
        guard let peer = lives[HostID(rawValue: endpoint)] else { return }
        for prefix in host.subscriptions {
            send(.subscription(at: peer, from: host.life, prefix, isAdded: true), host.life, peer)
        }
    }

    mutating func disconnect(_ host: SimulatedHost, _ endpoint: String) {
        host.connections.removeAll { $0 == endpoint }
        if let peer = lives[HostID(rawValue: endpoint)] { known[peer]?[host.life] = nil }
    }

    mutating func subscribe(_ host: SimulatedHost, _ prefix: [UInt8]) {
        host.subscriptions.append(prefix)
        tell(host, prefix, isAdded: true)
    }

    mutating func unsubscribe(_ host: SimulatedHost, _ prefix: [UInt8]) {
        guard let index = host.subscriptions.firstIndex(of: prefix) else { return }
        host.subscriptions.remove(at: index)
        tell(host, prefix, isAdded: false)
    }

    private mutating func tell(_ host: SimulatedHost, _ prefix: [UInt8], isAdded: Bool) {
        for endpoint in host.connections {
            guard let peer = lives[HostID(rawValue: endpoint)] else { continue }
            send(.subscription(at: peer, from: host.life, prefix, isAdded: isAdded), host.life, peer)
        }
    }
}
