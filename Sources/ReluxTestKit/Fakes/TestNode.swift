public import Relux

/// A node on a manual clock that records what is dispatched.
///
/// With no module registered its dispatcher has no subscribers: inject it into a saga, call `apply`, and read from the
/// logger what the saga dispatched.
public struct TestNode: Sendable {
    public let relux: Relux
    public let logger: RecordingLogger
    public let clock: ManualClock

    public init(name: ModuleID = "Test", sealer: (any Relux.SecretSealing)? = nil) {
        logger = RecordingLogger()
        clock = ManualClock()
        relux = Relux(name: name, logger: logger, clock: clock.nodeClock, sealer: sealer)
    }

    public var dispatcher: Relux.Dispatcher { relux.dispatcher }
}
