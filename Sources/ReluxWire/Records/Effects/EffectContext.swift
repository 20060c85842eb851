/// The part that effects from one place have in common: neighbours in a stream share it, in memory and in bytes.
///
///     +----------------------------------------------------------------------------------+
///     | ancestry: count varint, then per ancestor (module varint+UTF-8, position varint) |
///     +---------------------+----------------+----------------+--------------------------+
///     | await depth         | member version | flags          |
///     | varint              | varint         | varint         |
///     +---------------------+----------------+----------------+-----------------+
///     | site: file          | site: line     | site: function | label           |
///     | varint, UTF-8       | varint         | varint, UTF-8  | varint, UTF-8   |
///     +---------------------+----------------+----------------+-----------------+
///     | contract fingerprint                 |
///     | 8 bytes, big endian                  |
///     +--------------------------------------+
public final class EffectContext: Sendable, Hashable {
    /// How many ancestors an effect may have.
    public static let ancestryLimit = 32

    /// From the root to the direct cause. Empty for an effect that nothing caused; its count is the hop.
    public let ancestry: [EffectID]
    /// How many of the last ancestors wait for this effect.
    public let awaitDepth: Int
    /// The membership that fixed its recipients.
    public let memberVersion: UInt64
    public let flags: EffectFlags
    /// Where in the source it was dispatched.
    public let site: CallSite
    /// The name that the dispatcher gave it; may be empty.
    public let label: String
    /// The fingerprint of the effect type's contract that the publisher was built with, or that a client of the ingress went by; 0 when not known.
    public let contractFingerprint: UInt64

    public init(
        ancestry: [EffectID] = [], awaitDepth: Int = 0, memberVersion: UInt64 = 0, flags: EffectFlags = [],
        site: CallSite = CallSite(), label: String = "", contractFingerprint: UInt64 = 0
    ) {
        self.ancestry = ancestry
        self.awaitDepth = awaitDepth
        self.memberVersion = memberVersion
        self.flags = flags
        self.site = site
        self.label = label
        self.contractFingerprint = contractFingerprint
    }

    func check() throws(WireError) {
        guard ancestry.count <= Self.ancestryLimit else {
            throw WireError(
                .limitExceeded, "an effect with \(ancestry.count) ancestors is over the limit of \(Self.ancestryLimit); break the cycle")
        }
        guard (0...ancestry.count).contains(awaitDepth) else {
            throw WireError(.limitExceeded, "\(awaitDepth) ancestors cannot wait for an effect that has \(ancestry.count)")
        }
    }

    func write(to writer: inout RecordWriter) {
        writer.list(ancestry) { $0.effectID($1) }
        writer.count(awaitDepth)
        writer.varint(memberVersion)
        writer.varint(flags.rawValue)
        writer.text(site.file)
        writer.varint(UInt64(site.line))
        writer.text(site.function)
        writer.text(label)
        writer.fixed64(contractFingerprint)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        ancestry = try reader.list { reader throws(WireError) in try reader.effectID() }
        awaitDepth = Int(clamping: try reader.varint())
        memberVersion = try reader.varint()
        flags = EffectFlags(rawValue: try reader.varint())
        site = CallSite(file: try reader.text(), line: UInt(truncatingIfNeeded: try reader.varint()), function: try reader.text())
        label = try reader.text()
        contractFingerprint = try reader.fixed64()
        try check()
    }

    public static func == (left: EffectContext, right: EffectContext) -> Bool {
        if left === right { return true }
        return left.ancestry == right.ancestry && left.awaitDepth == right.awaitDepth
            && left.memberVersion == right.memberVersion && left.flags == right.flags && left.site == right.site && left.label == right.label
            && left.contractFingerprint == right.contractFingerprint
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ancestry)
        hasher.combine(memberVersion)
        hasher.combine(site)
    }
}

/// Properties of an effect besides its fields. Bits that a reader does not know are kept.
public struct EffectFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Its topic is `transient`: no repair, no dead letter.
    public static let transient = EffectFlags(rawValue: 1 << 0)
    /// Its topic is durable per `machine`: it survives the loss of power.
    public static let machine = EffectFlags(rawValue: 1 << 1)
    /// It had no recipient when it was accepted.
    public static let unhandled = EffectFlags(rawValue: 1 << 2)
    /// The re-run of the handler that had emitted it did not emit it again.
    public static let diverged = EffectFlags(rawValue: 1 << 3)
    /// The handler that it comes from had returned: a re-run of that handler does not look for it.
    public static let detached = EffectFlags(rawValue: 1 << 4)
}

/// A place in the source.
public struct CallSite: Sendable, Hashable, Codable {
    /// As `#fileID` gives it.
    public var file: String
    public var line: UInt
    public var function: String

    public init(file: String = "", line: UInt = 0, function: String = "") {
        self.file = file
        self.line = line
        self.function = function
    }
}
