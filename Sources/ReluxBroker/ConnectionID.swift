package import ReluxWire

/// The identity bytes of one peer of the broker's ROUTER socket; an answer goes back to the same bytes.
package struct ConnectionID: Hashable, Sendable {
    package let bytes: ByteString
    package init(_ bytes: ByteString) { self.bytes = bytes }
}
