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

    public init() {
        self.init(isScreen: isatty(STDOUT_FILENO) == 1, read: LineReader.start) { bytes in
            bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }
    }

    /// - Parameters:
    ///   - read: calls back with each line, from any thread, and with nil after the last.
    ///   - put: writes some bytes and says how many; fewer than nothing sets `errno`.
    init(isScreen: Bool, read: @escaping (@escaping @Sendable (String?) -> Void) -> Void, put: @escaping (ArraySlice<UInt8>) -> Int) {
        (self.isScreen, self.read, self.put) = (isScreen, read, put)
    }

    /// Shows frames and hands over lines until somebody types `leave`, or there are no more lines.
    ///
    /// Lines are entered one after the other. While one takes its time, frames are shown and lines are read; what was typed before `leave` is done
    /// first, unless `leave` is typed twice.
    /// - Parameters:
    ///   - frame: what is to be seen. What it reads of observable objects is watched: when some of it changes a new frame is shown.
    ///   - enter: gets each line without its end. It is cancelled when the session ends before it.
    public func run(leave: String = "quit", frame: @escaping @MainActor () -> [String], enter: @escaping @MainActor (String) async -> Void) async {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        read { line in feed.yield(.typed(line.map(LineQueue.Event.line) ?? .closed)) }
        var queue = LineQueue(leave: leave)
        var last: [String]?
        var shown = 0
        func show() {
            shown += 1
            // Called before the change: the frame is made when this turn of the main actor is over.
            let lines = withObservationTracking(frame, onChange: { [shown] in feed.yield(.changed(since: shown)) })
                + (queue.notice.map { ["", $0] } ?? [])
            guard lines != last else { return }
            last = lines
            write(lines)
        }
        var work: Task<Void, Never>?
        show()
        session: for await event in events {
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
            show()
        }
        work?.cancel()
    }

    private enum Event: Sendable {
        case typed(LineQueue.Event)
        /// The frame of that number is not what is to be seen any more.
        case changed(since: Int)
    }

    private func write(_ lines: [String]) {
        let text = lines.map { Self.printable($0) + "\n" }.joined()
        let bytes = Array((isScreen ? "\u{1b}[H\u{1b}[2J" + text + "> " : text + "--\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = put(rest)
            if count < 0 {
                // Nobody looks any more.
                guard errno == EINTR else { return }
                continue
            }
            rest = rest.dropFirst(count)
        }
    }

    /// What people wrote is shown and never obeyed: no control character reaches the terminal.
    static func printable(_ line: String) -> String {
        String(String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}
