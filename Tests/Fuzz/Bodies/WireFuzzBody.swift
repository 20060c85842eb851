import ReluxWire

/// What must hold of a decoder whatever bytes it gets. The fuzzer looks for bytes where it does not; a test replays those that it kept.
public enum WireFuzzBody: String, CaseIterable, Sendable {
    case frame, record, cbor, json

    /// What is wrong, or nil. A trap inside is a finding too.
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
        _ = try? CBOR.decode(FuzzEffect.self, from: bytes)
        guard let value = try? CBORValue(decoding: bytes) else { return nil }
        _ = value.swiftDescription(textLimit: 20)
        _ = JSONValue(value).text()
        let encoded = value.encoded()
        return try CBORValue(decoding: encoded).encoded() == encoded ? nil : "the value differs after a round trip"
    }

    private static func json(_ bytes: [UInt8]) throws(WireError) -> String? {
        guard let value = try? JSONValue(parsing: bytes) else { return nil }
        guard try JSONValue(parsing: value.text()) == value, try JSONValue(parsing: value.text(pretty: true)) == value else {
            return "the value differs after a round trip"
        }
        return JSONValue(CBORValue(value)) == value ? nil : "the value differs after a way through CBOR"
    }
}

/// Leads the CBOR decoder through every kind of container.
private enum FuzzEffect: Codable {
    case none
    case values(Int8, UInt64, Double, Float, Bool, String?)
    case collections(list: [Int], table: [String: [Bool]], set: Set<String>, numbered: [Int: ByteString])
    case sealed(SealedBytes, ModuleID, EffectID)
    indirect case nested(FuzzEffect, [FuzzEffect?])
}
