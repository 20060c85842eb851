internal import Glibc
internal import Observation

/// A terminal, or what stands for one: shows one frame of text at a time, and reads lines.
///
/// On a terminal each frame takes the screen of the one before. In a pipe or a file they follow one another, each closed by a line `--`, so that
/// a script can read them.
@MainActor
public struct Terminal {
    private let isScreen: Bool

    public init() { isScreen = isatty(STDOUT_FILENO) == 1 }

    /// Shows frames and hands over lines until `enter` says that it is over, or there are no more lines.
    ///
    /// - Parameters:
    ///   - frame: what is to be seen. What it reads of observable objects is watched: when some of it changes a new frame is shown.
    ///   - enter: gets each line without its end; false ends the session.
    public func run(frame: @escaping @MainActor () -> [String], enter: @escaping @MainActor (String) async -> Bool) async {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        LineReader.start { line in
            if let line { feed.yield(.line(line)) } else { feed.finish() }
        }
        var last: [String]?
        func show() {
            // Called before the change: the frame is made when this turn of the main actor is over.
            let lines = withObservationTracking(frame, onChange: { feed.yield(.changed) })
            guard lines != last else { return }
            last = lines
            write(lines)
        }
        show()
        for await event in events {
            if case .line(let line) = event, await !enter(line) { break }
            show()
        }
    }

    private enum Event: Sendable {
        case line(String)
        case changed
    }

    private func write(_ lines: [String]) {
        let text = lines.map { Self.printable($0) + "\n" }.joined()
        let bytes = Array((isScreen ? "\u{1b}[H\u{1b}[2J" + text + "> " : text + "--\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
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
