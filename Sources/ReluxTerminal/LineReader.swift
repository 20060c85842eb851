internal import Glibc

/// Reads standard input on a thread of its own, for reading blocks.
enum LineReader {
    private final class Callback: Sendable {
        let body: @Sendable (String?) -> Void
        init(_ body: @escaping @Sendable (String?) -> Void) { self.body = body }
    }

    /// Calls back from the thread with each line, and with nil at the end of the input. Invalid UTF-8 is repaired; a line of more than 64 KiB
    /// is cut there.
    static func start(_ body: @escaping @Sendable (String?) -> Void) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Callback(body))
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                LineReader.read(Unmanaged<Callback>.fromOpaque(argument).takeRetainedValue().body)
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            return body(nil)
        }
        pthread_detach(thread)
    }

    private static func read(_ body: (String?) -> Void) {
        let limit = 64 << 10
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in chunk[..<count] {
                if byte == UInt8(ascii: "\n") {
                    body(String(decoding: line, as: UTF8.self))
                    line = []
                } else if line.count < limit {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { body(String(decoding: line, as: UTF8.self)) }
        body(nil)
    }
}
