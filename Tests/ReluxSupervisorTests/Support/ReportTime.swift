import Logging
import Synchronization

/// A time that stands still, but for the crash reports: an hour goes by before the log says of the first that it was written.
final class ReportTime: LogHandler {
    private let time = Mutex(Duration.zero)

    var now: Duration { time.withLock { $0 } }

    func log(event: LogEvent) {
        if event.message == "process died" { time.withLock { $0 = .seconds(3600) } }
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}
