package import Relux

/// Where the numbers of a life begin.
///
/// Design notes. Positions and sequences carry the epoch of their life in the upper bits, and the broker gives no epoch twice. So a number is
/// given out once whatever became of the journal in the meantime: put back from a copy, cut, deleted. What lies between the last number of the
/// earlier lives and the first of this one nobody has said; recipients that ask for it are told that it is gone. Where a recipient has seen one of
/// those numbers all the same, the journal is an older copy than the one that gave it out: ``unknown(_:on:)``.
extension Ledger {
    /// A life opens the journal. The same epoch again changes nothing.
    package mutating func begin(_ epoch: Epoch) {
        guard epoch > self.epoch else { return }
        self.epoch = epoch
        rise(to: epoch.start)
        for topic in streams.keys { streams[topic]?.begin(behind: epoch.start) }
    }

    /// Numbers that a recipient must have got from a life that the journal does not know; nil when there are none, or they are noted already.
    ///
    /// - Parameter seen: a number of the module's stream that the recipient is through with.
    package func unknown(_ seen: UInt64, on topic: Topic) -> ClosedRange<UInt64>? {
        // Numbers that nobody has said are passed over up to the beginning of a life, which says nothing of that life or the one before.
        guard Epoch(start: seen).start != seen, forgotten[topic]?.contains(seen) != true else { return nil }
        let stream = streams[topic] ?? OutboundStream(start: epoch.start)
        // Where it is known which lives the journal lacks, it has the others.
        let begin = forgotten[.lives(of: module)]?.range(around: Epoch(start: seen).start).map { Epoch(start: $0.lowerBound).start } ?? 0
        return stream.unsaid(around: seen).map { min(seen, max($0.lowerBound, begin))...seen }
    }
}

extension Ledger {
    /// How many passages to later lives are remembered per stream.
    private static let passageLimit = 16

    /// Part of a stream is done without a settlement; if it was left behind for a later life, the ledger remembers where.
    mutating func pass(_ range: ClosedRange<UInt64>, of stream: StreamID) {
        cursors[stream, default: SequenceSet()].insert(range)
        guard range.upperBound > 0, Epoch(start: range.upperBound).start == range.upperBound else { return }
        passages[stream, default: SequenceSet()].insert(range)
        passages[stream]?.keep(last: Self.passageLimit)
    }

    /// Returns the ranges to ask a publisher for. The number in front of each range tells the publisher what the module has got; see ``unknown(_:on:)``.
    /// If a range begins behind a passage, the module asks for the whole passage once more.
    ///
    /// A later life of the module, which has forgotten the passage, may take the answer for its own. If the question named the first number alone, that
    /// life would go on from the middle of the passage, and so say that it has seen that number. The passage stays a range of its own, because what is
    /// gone behind it has to begin where the module goes on.
    package func telling(_ missing: [ClosedRange<UInt64>], of stream: StreamID) -> [ClosedRange<UInt64>] {
        guard let passages = passages[stream] else { return missing }
        return missing.flatMap { range in
            guard range.lowerBound > 0, let passage = passages.range(around: range.lowerBound - 1), passage.lowerBound > 1 else { return [range] }
            return [passage, range]
        }
    }

    /// The lost ranges that no life has told yet which ended as it should.
    package var news: [(topic: Topic, range: ClosedRange<UInt64>)] {
        forgotten.sorted { $0.key < $1.key }.flatMap { topic, sequences in
            sequences.ranges.filter { told[topic]?.range(around: $0.upperBound)?.contains($0.lowerBound) != true }.map { (topic, $0) }
        }
    }

    /// Lost parts of the module's streams, a line each: an older copy of its journal came back.
    package var losses: [String] {
        forgotten.sorted { $0.key < $1.key }.flatMap { topic, sequences in
            sequences.ranges.map { Self.text(ofForgotten: $0, on: topic, of: module) }
        }
    }

    package static func text(ofForgotten range: ClosedRange<UInt64>, on topic: Topic, of module: ModuleID) -> String {
        if topic == .lives(of: module) {
            return "the journal of \(module) does not have what the registry knows of, an older copy of it came back, it was taken away or the power went: "
                + "all that it said and settled from \(place(range.lowerBound)) to \(end(range.upperBound)) is lost"
        }
        let stream = topic.settledPublisher.map { "its settlements for \($0)" } ?? "\(topic)"
        return "the journal of \(module) does not have what others have heard, an older copy of it came back or the power went: \(stream) from "
            + "\(place(range.lowerBound)) to \(place(range.upperBound)) is lost"
    }

    /// The last number that is known of a life; a life that did not end in order shows only where it begins.
    private static func end(_ number: UInt64) -> String {
        let epoch = Epoch(start: number)
        return epoch.start == number ? "the end of life \(epoch)" : place(number)
    }

    /// A number by its life and its place there, as ids are printed.
    private static func place(_ number: UInt64) -> String {
        let epoch = Epoch(start: number)
        return "\(epoch).\(number - epoch.start)"
    }
}

extension Topic {
    /// Stands for all that a module says and settles, where what is lost is known by lives only.
    package static func lives(of module: ModuleID) -> Topic { .reserved("lives", of: module) }
}
