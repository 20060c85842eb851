package import ReluxWire

/// One peer of the broker: the door that it came through, and the identity bytes that it has there; an answer goes back to both.
package struct ConnectionID: Hashable, Sendable {
    /// The broker's ROUTER sockets. A peer at one cannot take the name of a peer at the other, nor its place in line.
    package enum Door: Hashable, Sendable {
        /// The CLI, and scripts in any language.
        case clients
        /// Hosts and the supervisor.
        case members
    }
    package let bytes: ByteString
    package let door: Door

    package init(_ bytes: ByteString, at door: Door = .clients) {
        self.bytes = bytes
        self.door = door
    }
}
