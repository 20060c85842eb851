import Glibc
import Relux
import Synchronization

/// Orders down and replies and events up, each as its length in four bytes, the highest first, and its CBOR.
package final class ControlLink: Sendable {
    /// The number under which a probe finds its end.
    package static let descriptorOfProbe: Int32 = 3

    private let descriptor: Int32
    private let writing = Mutex(())

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Throws: when the other end is gone.
    package func send(_ message: some Encodable & Sendable) throws {
        let body = try CBOR.encode(message)
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (24 - 8 * $0)) } + body
        try writing.withLock { _ in
            while !bytes.isEmpty {
                let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Broken() }
                bytes.removeFirst(count)
            }
        }
    }

    /// The next message; nil when the other end is gone, or has sent what is none.
    package func receive<Message: Decodable>(_ type: Message.Type) -> Message? {
        guard let head = read(4) else { return nil }
        guard let body = read(head.reduce(0) { $0 << 8 | Int($1) }) else { return nil }
        return try? CBOR.decode(type, from: body)
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + filled, count - filled) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            filled += more
        }
        return bytes
    }

    package func close() { _ = Glibc.close(descriptor) }

    package struct Broken: Error {}
}

/// An order and the number that its reply will have.
package struct Request: Codable, Sendable {
    package var number: UInt64
    package var order: Order
    package init(number: UInt64, order: Order) {
        self.number = number
        self.order = order
    }
}

package enum Message: Codable, Sendable {
    case reply(UInt64, Reply)
    case event(Event)
}
