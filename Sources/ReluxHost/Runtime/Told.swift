import Relux
import ReluxControl
import ReluxSystem

/// The last report to the broker. A broker that is greeted may be another one, and gets all of it again.
struct Told: Sendable {
    var counters: [ModuleID: ModuleCounters] = [:]
    var troubles: [String] = []
    var lost: [ModuleID: LostBook] = [:]
    var diskTroubles: [ClusterNote] = []
    /// How this process's descriptors stood.
    var fence: DescriptorFence?
}
