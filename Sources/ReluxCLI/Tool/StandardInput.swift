import Glibc

/// The process's standard input as bytes; what is read is the caller's to decode.
enum StandardInput {
    /// - Throws: `failed` when it cannot be read, such as a directory.
    static func all() throws(CLIError) -> [UInt8] {
        var bytes: [UInt8] = []
        while case let more = try read(count: 1 << 16), !more.isEmpty { bytes += more }
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

    /// Byte by byte: what follows the line is left to whoever reads next.
    private static func line() throws(CLIError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            guard let byte = try read(count: 1).first else { return bytes.isEmpty ? nil : bytes }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
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
