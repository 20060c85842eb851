/// Hashes of names and of what is made of them, for look-ups.
///
/// Design notes. Streams, modules and effects are looked up several times for each record, and SipHash over two or three names was a tenth of what
/// an effect cost; measured again on 2026-11-27 with addresses of names instead of their texts, it was 13 % of the sender's instructions, and 10 % within
/// one process. Here eight bytes are one multiplication. Each table brings its own seed and each process a secret one, as with the standard hash,
/// so that nobody outside can choose names that meet in one bucket. A name is hashed once; see ``Name``.
package enum NameHash {
    /// The secret of this process; the same in all when Swift is told to hash deterministically.
    private static let secret = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1

    /// Hides numbers: a number that takes the constant out of a product is not known outside either.
    private static let veil = UInt64(truncatingIfNeeded: Hasher().finalize()) &* 0x9e37_79b9_7f4a_7c15

    /// A hash and a number that somebody outside may have chosen.
    package static func numbered(_ hash: UInt64, _ number: UInt64) -> UInt64 { mixed(hash, number ^ veil) }

    /// A hash of the text's bytes, the same for equal texts of one process.
    static func of(_ text: String) -> UInt64 {
        // Names are ASCII: equal ones have the same bytes.
        if let hash = text.utf8.withContiguousStorageIfAvailable({ of(UnsafeRawBufferPointer($0)) }) { return hash }
        return Array(text.utf8).withUnsafeBytes { of($0) }
    }

    /// Two hashes, or a hash and a number, made one.
    @inline(__always)
    package static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = (left ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: right ^ 0xd6e8_feb8_6659_fd93)
        return high ^ low
    }

    /// For a table with that seed.
    @inline(__always)
    package static func seeded(_ hash: UInt64, _ seed: Int) -> Int {
        Int(truncatingIfNeeded: mixed(hash, UInt64(truncatingIfNeeded: seed)))
    }

    private static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        var hash = secret ^ UInt64(truncatingIfNeeded: count)
        guard count >= 8 else {
            var word: UInt64 = 0
            for byte in bytes { word = word << 8 | UInt64(byte) }
            return mixed(hash, word)
        }
        var position = 0
        while position + 8 < count {
            hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        // The last eight, some of them once more.
        return mixed(hash, bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
    }
}

// `_rawHashValue(seed:)` is what tables call; `hash(into:)` is for whatever combines a name with something else.

extension Topic {
    package var nameHash: UInt64 { name.hash }
    public func hash(into hasher: inout Hasher) { hasher.combine(nameHash) }
    public func _rawHashValue(seed: Int) -> Int { NameHash.seeded(nameHash, seed) }
    @inlinable public static func == (left: Topic, right: Topic) -> Bool { left.name === right.name }
}

extension ModuleID {
    package var nameHash: UInt64 { name.hash }
    public func hash(into hasher: inout Hasher) { hasher.combine(nameHash) }
    public func _rawHashValue(seed: Int) -> Int { NameHash.seeded(nameHash, seed) }
    @inlinable public static func == (left: ModuleID, right: ModuleID) -> Bool { left.name === right.name }
}

extension StreamID {
    package var nameHash: UInt64 { NameHash.mixed(publisher.nameHash, topic.nameHash) }
    public func hash(into hasher: inout Hasher) { hasher.combine(nameHash) }
    public func _rawHashValue(seed: Int) -> Int { NameHash.seeded(nameHash, seed) }
    // The topic first: it is what differs.
    @inlinable public static func == (left: StreamID, right: StreamID) -> Bool {
        left.topic == right.topic && left.publisher == right.publisher
    }
}

extension EffectID {
    package var nameHash: UInt64 { NameHash.numbered(module.nameHash, position) }
    public func hash(into hasher: inout Hasher) { hasher.combine(nameHash) }
    public func _rawHashValue(seed: Int) -> Int { NameHash.seeded(nameHash, seed) }
    // The number first: it is what differs.
    @inlinable public static func == (left: EffectID, right: EffectID) -> Bool {
        left.position == right.position && left.module == right.module
    }
}
