import ReluxWire

/// The rules that a decoder must keep, whatever bytes it gets. The fuzzer looks for bytes that break them; a test replays those that it kept.
public enum WireFuzzBody: String, CaseIterable, Sendable {
    case frame, record, cbor, json

    /// The fault, or nil. A trap inside is a finding too.
    public func fault(with bytes: [UInt8]) -> String? {
        do {
            switch self {
            case .frame: return try Self.frame(bytes)
            case .record: return try Self.record(bytes)
            case .cbor: return try Self.cbor(bytes)
            case .json: return try Self.json(bytes)
            }
        } catch {
            return "what was decoded once is refused when it is encoded: \(error)"
        }
    }

    private static func frame(_ bytes: [UInt8]) throws(WireError) -> String? {
        guard let frame = try? Frame(decoding: bytes) else { return nil }
        let again = try Frame(decoding: frame.encoded())
        var expected = frame
        expected.skippedRecordCount = 0
        return again == expected ? nil : "the frame differs after a round trip"
    }

    private static func record(_ bytes: [UInt8]) throws(WireError) -> String? {
        guard let record = try? WireRecord.decode(bytes) else { return nil }
        return try WireRecord.decode(record.encoded()) == record ? nil : "the record differs after a round trip"
    }

    private static func cbor(_ bytes: [UInt8]) throws(WireError) -> String? {
        if let fault = try coders(bytes) { return fault }
        guard let value = try? CBORValue(decoding: bytes) else { return nil }
        _ = value.swiftDescription(textLimit: 20)
        _ = JSONValue(value).text()
        let encoded = value.encoded()
        return try CBORValue(decoding: encoded).encoded() == encoded ? nil : "the value differs after a round trip"
    }

    /// Whatever generated code makes of the bytes, `Codable` makes of them, and the other way round.
    private static func coders(_ bytes: [UInt8]) throws(WireError) -> String? {
        let generated = try? CBOR.decode(FuzzEffect.self, from: bytes)
        switch (generated, try? byCodable(FuzzEffect.self, from: bytes)) {
        case (nil, nil): return nil
        case (let generated?, let expected?):
            let encoded = try CBOR.encode(generated)
            guard try encoded == byCodable(generated) else { return "generated code writes other bytes than Codable" }
            return try encoded == byCodable(expected) ? nil : "generated code reads another value than Codable"
        case (nil, _): return "Codable reads what generated code refuses"
        case (_, nil): return "generated code reads what Codable refuses"
        }
    }

    // Where the type is not known to have a coder, it is not asked for one.
    private static func byCodable<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(WireError) -> Value {
        try CBOR.decode(type, from: bytes)
    }
    private static func byCodable(_ value: some Encodable) throws(WireError) -> [UInt8] { try CBOR.encode(value) }

    private static func json(_ bytes: [UInt8]) throws(WireError) -> String? {
        guard let value = try? JSONValue(parsing: bytes) else { return nil }
        guard try JSONValue(parsing: value.text()) == value, try JSONValue(parsing: value.text(pretty: true)) == value else {
            return "the value differs after a round trip"
        }
        return JSONValue(CBORValue(value)) == value ? nil : "the value differs after a way through CBOR"
    }
}
