/// The limits of the CBOR profile of Relux Cluster, for encoders and decoders alike.
public enum CBORLimits {
    /// How many containers and tags may lie inside each other.
    public static let depth = 64
    /// The largest text that is decoded, in bytes. Offsets fit 32 bits.
    @inlinable public static var byteCount: Int { 1 << 30 }
    /// How deep a generated coder goes at most before it leaves a field to `Codable`, which is then given the rest of ``depth``.
    static let generatedDepth = 32
    /// How many `encode(to:)` calls may be on the stack; single-value wrappers add no container of their own.
    static let encodeCalls = 256
}

/// The three high bits of a CBOR head.
enum CBORMajor {
    static let unsigned: UInt8 = 0x00
    static let negative: UInt8 = 0x20
    static let bytes: UInt8 = 0x40
    static let text: UInt8 = 0x60
    static let array: UInt8 = 0x80
    static let map: UInt8 = 0xa0
    static let tag: UInt8 = 0xc0
    static let simple: UInt8 = 0xe0
}

/// The whole initial bytes of major type 7.
enum CBORSimple {
    static let `false`: UInt8 = 0xf4
    static let `true`: UInt8 = 0xf5
    static let null: UInt8 = 0xf6
    static let half: UInt8 = 0xf9
    static let float: UInt8 = 0xfa
    static let double: UInt8 = 0xfb
}
