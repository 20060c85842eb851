import Glibc

/// The process's standard input as bytes; what is read is the caller's to decode.
enum StandardInput {
    /// Twice what the broker takes in one message.
    static let limit = 4 << 20
    private static let isTooLong = CLIError(
        .usage, "input.tooLong", "standard input has more than \(limit) bytes, the limit", hint: "an effect may have 2 MiB; name what is large by a path or an id")

    /// - Throws: `failed` when it cannot be read, such as a directory; `usage` for more than ``limit``.
    static func all() throws(CLIError) -> [UInt8] {
        var bytes: [UInt8] = []
        while case let more = try read(count: 1 << 16), !more.isEmpty {
            bytes += more
            guard bytes.count <= limit else { throw isTooLong }
        }
        return bytes
    }

    /// - Parameter hidden: keeps a terminal from showing it.
    static func line(_ hidden: Bool) throws(CLIError) -> [UInt8]? {
        var shown = termios()
        let isHidden = hidden && tcgetattr(STDIN_FILENO, &shown) == 0
        if isHidden {
            var hidden = shown
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        }
        defer { if isHidden { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) } }
        return try line()
    }

    /// A secret is typed, or comes from a program that keeps some.
    private static let lineLimit = 64 << 10
    private static let isTooLongLine = CLIError(
        .usage, "input.tooLong", "the line on standard input has more than \(lineLimit) bytes, the limit", hint: "give the whole effect as JSON: relux effect send EFFECT -")

    /// Byte by byte: what follows the line is left to whoever reads next.
    private static func line() throws(CLIError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            guard let byte = try read(count: 1).first else { return bytes.isEmpty ? nil : bytes }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
            guard bytes.count <= lineLimit else { throw isTooLongLine }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }

    private static func read(count: Int) throws(CLIError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let got = Glibc.read(STDIN_FILENO, &bytes, count)
            if got >= 0 { return Array(bytes.prefix(got)) }
            guard errno == EINTR else {
                throw CLIError(.failed, "input.unreadable", "standard input cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }
}
