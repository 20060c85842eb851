package import ReluxControl
import ReluxWire

/// One answer to many clients, coded once: only the request's id differs.
package struct SharedAnswer: Sendable {
    /// Up to the id, and behind it.
    private let parts: (ArraySlice<UInt8>, ArraySlice<UInt8>)

    /// - Throws: when the body cannot be coded.
    package init(_ body: ClientResponse.Body) throws {
        let bytes = try CBOR.encode(BrokerOutbound.client(ClientResponse(id: "", body: body)))
        // A text of two bytes. Keys are in order, and only names of the protocol stand in front of this one.
        let key = Array("bid".utf8)
        let end = bytes.indices.first { bytes[$0...].starts(with: key) }.map { $0 + key.count } ?? bytes.endIndex
        parts = (bytes[..<end], bytes[end...].dropFirst())
    }

    /// The message for the client that asked with that id.
    package func message(for request: String) -> [UInt8] {
        var writer = CBORWriter(reservingCapacity: parts.0.count + request.utf8.count + 9 + parts.1.count)
        parts.0.withUnsafeBytes { writer.append($0) }
        writer.text(request)
        parts.1.withUnsafeBytes { writer.append($0) }
        return writer.bytes
    }
}
