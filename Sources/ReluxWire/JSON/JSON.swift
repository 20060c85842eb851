/// `Codable` values as JSON, by way of their CBOR form.
public enum JSON {
    /// The text of `value`, fields in the order in which the type writes them, dictionaries sorted.
    ///
    /// Bytes become base64, sealed values `•••`, which cannot be decoded again.
    /// - Throws: as ``CBOR/encode(_:userInfo:)``.
    public static func encode<T: Encodable>(
        _ value: T, pretty: Bool = false, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> String {
        let bytes = try CBOR.encodeGenerically(value, userInfo: userInfo, keepsDeclaredOrder: true)
        return JSONValue(try CBORValue(decoding: bytes)).text(pretty: pretty)
    }

    /// The value that `text` holds. Whole numbers are taken for floating-point fields.
    /// - Throws: `malformed` with line and column; else as ``CBOR/decode(_:from:userInfo:)-(_,[UInt8],_)``.
    public static func decode<T: Decodable>(
        _ type: T.Type, from text: String, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try decode(type, from: JSONValue(parsing: text), userInfo: userInfo)
    }

    /// The value that `json` stands for.
    public static func decode<T: Decodable>(
        _ type: T.Type, from json: JSONValue, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try CBOR.decode(type, from: CBORValue(json).encoded(), userInfo: userInfo)
    }
}
