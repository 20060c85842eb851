package import ReluxControl
import ReluxLayers
package import ReluxLedger
import ReluxPlugin

/// The settings of a host process: what it is to run and where its cluster is; all defaults are in the initialiser.
package struct HostConfiguration: Sendable {
    package var host: HostID
    package var run: RunDirectory
    /// Packed plugin directories, loaded in this order.
    package var plugins: [String]
    /// The cluster's modules, as its broker has said at the start; nil for a process that somebody else starts.
    package var kinds: ModuleKinds?
    /// How long an `await actions { }` waits at most.
    package var deadline: Duration
    /// How long a leaving module may finish what it has begun.
    package var drainLimit: Duration
    /// An actor that has not let another call in for this long is reported as stalled.
    package var stallLimit: Duration
    /// How long a frame is held up for a subscriber that has no room.
    package var busPatience: Duration
    /// Queued output; sources wait beyond it.
    package var queuedByteLimit: Int
    /// Frames that wait for one subscriber, and the same number for this host, before more are dropped; what is missing is repaired.
    package var queuedFrameLimit: Int
    /// Off only in the host of a test that has to see what would be lost.
    package var repairs = true
    /// How long a joining module waits for those that must hear it; what they miss is repaired anyway.
    package var hearingPatience: Duration
    /// How long a refusal waits for a broker that notes it; a killed broker is back long before.
    package var refusalLimit = Duration.seconds(10)
    /// The limits of what journals may take of the disk.
    package var journal = JournalLimits()

    package init(
        host: HostID, run: RunDirectory, plugins: [String], deadline: Duration = .seconds(30),
        drainLimit: Duration = .seconds(5), stallLimit: Duration = .seconds(10),
        busPatience: Duration = .milliseconds(5), queuedByteLimit: Int = 64 << 20,
        queuedFrameLimit: Int = 10_000, hearingPatience: Duration = .seconds(1)
    ) {
        self.host = host
        self.run = run
        self.plugins = plugins
        self.deadline = deadline
        self.drainLimit = drainLimit
        self.stallLimit = stallLimit
        self.busPatience = busPatience
        self.queuedByteLimit = queuedByteLimit
        self.queuedFrameLimit = queuedFrameLimit
        self.hearingPatience = hearingPatience
    }
}
