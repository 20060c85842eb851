internal import Glibc
internal import Observation

/// A terminal, or what stands for one: shows one frame of text at a time, and reads lines.
///
/// On a terminal each frame takes the screen of the one before. In a pipe or a file they follow one another, each closed by a line `--`, so that
/// a script can read them.
@MainActor
public struct Terminal {
    private let isScreen: Bool
    private let read: (@escaping @Sendable (String?) -> Void) -> Void
    private let put: (ArraySlice<UInt8>) -> Int
    private let complain: (String) -> Void

    public init() {
        self.init(
            isScreen: isatty(STDOUT_FILENO) == 1, read: LineReader.start, put: { bytes in bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) } },
            complain: { reason in
                let bytes = Array((reason + "\n").utf8)
                _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
            })
    }

    /// - Parameters:
    ///   - read: calls back with each line, from any thread, and with nil after the last.
    ///   - put: writes some bytes and says how many; fewer than nothing sets `errno`.
    ///   - complain: says why a session ends that nobody has left.
    init(
        isScreen: Bool, read: @escaping (@escaping @Sendable (String?) -> Void) -> Void, put: @escaping (ArraySlice<UInt8>) -> Int,
        complain: @escaping (String) -> Void
    ) {
        (self.isScreen, self.read, self.put, self.complain) = (isScreen, read, put, complain)
    }

    /// Shows frames and hands over lines until somebody types `leave`, or there are no more lines.
    ///
    /// Lines are entered one after the other. While one takes its time, frames are shown and lines are read; what was typed before `leave` is done
    /// first, unless `leave` is typed twice.
    /// - Parameters:
    ///   - frame: what is to be seen. What it reads of observable objects is watched: when some of it changes a new frame is shown.
    ///   - enter: gets each line without its end. It is cancelled when the session ends before it.
    /// - Returns: the process's exit status: 0; 74 when a frame could not be written, which ends the session and is said on standard error; 141, and
    ///   nothing is said, when its reader has gone.
    @discardableResult
    public func run(leave: String = "quit", frame: @escaping @MainActor () -> [String], enter: @escaping @MainActor (String) async -> Void) async -> Int32 {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        read { line in feed.yield(.typed(line.map(LineQueue.Event.line) ?? .closed)) }
        var queue = LineQueue(leave: leave)
        var last: [String]?
        var shown = 0
        /// The error's number, or 0.
        func show() -> Int32 {
            shown += 1
            // Called before the change: the frame is made when this turn of the main actor is over.
            let lines = withObservationTracking(frame, onChange: { [shown] in feed.yield(.changed(since: shown)) })
                + (queue.notice.map { ["", $0] } ?? [])
            guard lines != last else { return 0 }
            last = lines
            return write(lines)
        }
        var work: Task<Void, Never>?
        defer { work?.cancel() }
        var failure = show()
        var incoming = events.makeAsyncIterator()
        session: while failure == 0, let event = await incoming.next() {
            switch event {
            // Frames before the last one are watched too until they change. They tell of the same change, or of what is not seen any more.
            case .changed(let frame) where frame < shown: continue
            case .changed: break
            case .typed(let typed):
                switch queue.on(typed) {
                case .nothing: break
                case .enter(let line):
                    // Beside this loop, which has to hear what is typed meanwhile.
                    work = Task { @MainActor in
                        await enter(line)
                        feed.yield(.typed(.done))
                    }
                case .end: break session
                }
            }
            failure = show()
        }
        switch failure {
        case 0: return 0
        case EPIPE: return 128 + SIGPIPE
        default:
            complain("the screen cannot be written: \(String(cString: strerror(failure))); the session has ended")
            return 74
        }
    }

    private enum Event: Sendable {
        case typed(LineQueue.Event)
        /// The frame of that number is not what is to be seen any more.
        case changed(since: Int)
    }

    /// 0, or the error's number.
    private func write(_ lines: [String]) -> Int32 {
        let text = lines.map { Self.printable($0) + "\n" }.joined()
        let bytes = Array((isScreen ? "\u{1b}[H\u{1b}[2J" + text + "> " : text + "--\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = put(rest)
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            let number = count == 0 ? EIO : errno
            guard number == EINTR || number == EAGAIN else { return number }
            if number == EAGAIN {
                var waited = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&waited, 1, 1000)
            }
        }
        return 0
    }

    /// Text that people wrote is shown and never obeyed: no control character reaches the terminal, and none that turns the direction of what stands
    /// beside it. The two joiners stay, which words and families of emoji need.
    static func printable(_ line: String) -> String {
        String(String.UnicodeScalarView(line.unicodeScalars.map { isSteering($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200c}" && scalar != "\u{200d}"
        default: false
        }
    }
}
