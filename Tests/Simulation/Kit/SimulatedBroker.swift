import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire

/// One life of the broker, as one reference: the registry and the gate that production runs, and what its loop keeps beside them.
final class SimulatedBroker {
    let life: Int
    var registry: Registry
    var gate = OrderGate()
    var inbox: [Registry.Event] = []
    /// The courier hears of members when they are on the disk.
    var members: [ModuleID: ClusterPicture.Member]?
    var pictureVersion: UInt64?
    var writers: Set<ModuleID> = []

    init(life: Int, registry: Registry) {
        self.life = life
        self.registry = registry
    }

    /// Everything is as people want it, and only time goes on.
    var isAtRest: Bool {
        registry.isAtRest && inbox.isEmpty && !gate.isHeld
    }
}

extension Simulation {
    static let registryConfiguration = RegistryConfiguration(
        startsAtOnce: 2, startPatience: .seconds(6), connectionInterval: .seconds(3), silenceLimit: .seconds(2), drainLimit: .seconds(3), sealLimit: .seconds(4),
        readyPatience: .seconds(1), stopLimit: .seconds(5), ingress: Ingress.Limits(kept: 64))

    /// Two versions of each module, packed.
    static func directory(of name: ModuleID, _ version: Int) -> String { "packed/\(name)/\(version).0.0-x" }

    static func connection(of life: Int) -> ConnectionID { ConnectionID(ByteString(withUnsafeBytes(of: life.bigEndian) { Array($0) })) }

    static func life(of connection: ConnectionID) -> Int { connection.bytes.bytes.reduce(0) { $0 << 8 | Int($1) } }
}
