import Relux
import ReluxLedger

/// The streams that modules here hear. Pure.
struct InboundBook: Sendable {
    var streams: [BusCore.InboundKey: InboundStream<WireRecord>] = [:]
    /// Streams that lack something.
    private(set) var lagging: Set<BusCore.InboundKey> = []
    /// Settlement streams whose low-water mark has to be said.
    private var acknowledgements: Set<BusCore.InboundKey> = []
    /// The last sequence that was heard on each transient stream.
    var transientHeads: [BusCore.InboundKey: UInt64] = [:]
    /// By settlement stream: what of our modules' earlier lives its publisher may have settled without a trace here.
    var doubts: [BusCore.InboundKey: BusCore.Doubt] = [:]
    /// Whether what is missing is asked for. Off only where a test has to see what would be lost without it.
    var repairs = true

    /// Changes a stream in place; nil when no such stream is heard.
    ///
    /// A mutating look-up of an absent key would make room for it, and move the others.
    @discardableResult
    mutating func with<Result>(_ key: BusCore.InboundKey, _ body: (inout InboundStream<WireRecord>) -> Result) -> Result? {
        guard let place = streams.index(forKey: key) else { return nil }
        return body(&streams.values[place])
    }

    /// Something of the stream is missing, whatever was heard.
    mutating func lack(_ key: BusCore.InboundKey) { lagging.insert(key) }

    mutating func noteProgress(of key: BusCore.InboundKey) {
        if streams[key]?.isComplete == false { lagging.insert(key) } else if !lagging.isEmpty { lagging.remove(key) }
    }

    mutating func noteProgress(of key: BusCore.InboundKey, at place: Dictionary<BusCore.InboundKey, InboundStream<WireRecord>>.Index) {
        // In place: read through a getter, each of its tables would be retained.
        if !Self.isComplete(&streams.values[place]) { lagging.insert(key) } else if !lagging.isEmpty { lagging.remove(key) }
    }

    @inline(__always)
    private static func isComplete(_ stream: inout InboundStream<WireRecord>) -> Bool { stream.isComplete }

    /// Publishers of which a module here lacks something.
    var laggards: [ModuleID] { Set(lagging.map(\.publisher)).sorted() }

    mutating func acknowledge(_ key: BusCore.InboundKey) { acknowledgements.insert(key) }

    /// - Returns: in order, and how far each has come; without those that are heard no more.
    mutating func takeAcknowledgements() -> [(key: BusCore.InboundKey, lowWater: UInt64)] {
        defer { acknowledgements = [] }
        return acknowledgements.sorted().compactMap { key in streams[key].map { (key, $0.lowWater) } }
    }

    /// Publishers whose streams may not be forgotten.
    var lacking: Set<ModuleID> { Set(lagging.lazy.map(\.publisher)).union(acknowledgements.lazy.map(\.publisher)) }

    mutating func forget(where isForgotten: (BusCore.InboundKey) -> Bool) {
        streams = streams.filter { !isForgotten($0.key) }
        lagging = lagging.filter { !isForgotten($0) }
        transientHeads = transientHeads.filter { !isForgotten($0.key) }
        acknowledgements = acknowledgements.filter { !isForgotten($0) }
    }
}
