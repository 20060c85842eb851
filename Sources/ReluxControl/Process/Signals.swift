import Dispatch
import Glibc
import Synchronization

/// Turns SIGTERM, SIGINT and SIGHUP into a call.
package enum Signals {
    /// Calls back on a queue of its own, as often as a signal comes; their default actions are off from now on.
    package static func onTermination(_ body: @escaping @Sendable () -> Void) {
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.resume()
            sources.withLock { $0.append(Source(source)) }
        }
    }

    /// `@unchecked Sendable`: a dispatch source is thread safe; it is only kept alive here.
    private final class Source: @unchecked Sendable {
        let source: any DispatchSourceSignal
        init(_ source: any DispatchSourceSignal) { self.source = source }
    }
    // lint:allow state.global: a process has one set of signal handlers; nothing else is global here
    private static let sources = Mutex<[Source]>([])
}
