/// Effects of one stream, in order: the position and the sequence of each.
///
///     +--------------------------------------------------------------------------+
///     | runs: count varint, then per run                                         |
///     |   +------------------+------------------+-------------------+            |
///     |   | position         | sequence         | effects after the |            |
///     |   | varint, distance | varint, distance | first one, varint |            |
///     |   +------------------+------------------+-------------------+            |
///     +--------------------------------------------------------------------------+
///
/// In a run both numbers rise by one with each effect. The distances are counted from the last effect of the run before, and from 0 in the
/// first run. At most ``limit`` effects.
public struct EffectRuns: Sendable, Hashable {
    /// How many effects fit one record.
    public static let limit = 1024

    public struct Effect: Sendable, Hashable {
        public var position: UInt64
        public var sequence: UInt64
    }

    struct Run: Sendable, Hashable {
        var position: UInt64
        var sequence: UInt64
        /// Effects behind the first one.
        var following: UInt64 = 0

        var last: Effect { Effect(position: position + following, sequence: sequence + following) }
        var sequences: ClosedRange<UInt64> { sequence...sequence + following }
    }

    // Nearly always there is one run: it needs no list.
    private var first: Run
    private var others: [Run] = []
    /// How many effects there are.
    public private(set) var count = 1

    public init(position: UInt64, sequence: UInt64) { first = Run(position: position, sequence: sequence) }

    public var firstEffect: Effect { Effect(position: first.position, sequence: first.sequence) }
    public var lastEffect: Effect { (others.last ?? first).last }

    /// The sequences, in order.
    public var sequences: [ClosedRange<UInt64>] { [first.sequences] + others.map(\.sequences) }

    /// Whether ``append(position:sequence:)`` takes that effect.
    public func takes(position: UInt64, sequence: UInt64) -> Bool {
        let last = lastEffect
        return count < Self.limit && position > last.position && sequence > last.sequence
    }

    /// Adds an effect behind all others.
    ///
    /// - Returns: false when it does not lie behind them, or ``limit`` is reached; nothing is added then.
    @discardableResult
    public mutating func append(position: UInt64, sequence: UInt64) -> Bool {
        guard takes(position: position, sequence: sequence) else { return false }
        let last = lastEffect
        count += 1
        if position != last.position + 1 || sequence != last.sequence + 1 {
            others.append(Run(position: position, sequence: sequence))
        } else if others.isEmpty {
            first.following += 1
        } else {
            others[others.count - 1].following += 1
        }
        return true
    }
}

extension EffectRuns: Sequence {
    public struct Iterator: IteratorProtocol {
        private let effects: EffectRuns
        private var run: Run
        private var index = 0
        private var offset: UInt64 = 0

        init(_ effects: EffectRuns) {
            self.effects = effects
            run = effects.first
        }

        public mutating func next() -> Effect? {
            if offset > run.following {
                guard index < effects.others.count else { return nil }
                run = effects.others[index]
                (index, offset) = (index + 1, 0)
            }
            defer { offset += 1 }
            return Effect(position: run.position + offset, sequence: run.sequence + offset)
        }
    }

    public func makeIterator() -> Iterator { Iterator(self) }
    public var underestimatedCount: Int { count }
}

extension EffectRuns {
    func write(to writer: inout RecordWriter) {
        writer.count(1 + others.count)
        var last = Effect(position: 0, sequence: 0)
        for run in [first] + others {
            writer.varint(run.position - last.position)
            writer.varint(run.sequence - last.sequence)
            writer.varint(run.following)
            last = run.last
        }
    }

    init(from reader: inout RecordReader) throws(WireError) {
        let runs = try reader.varint()
        guard runs > 0 else { throw WireError(.malformed, "a record names no effect; it has to name at least one") }
        guard runs <= UInt64(Self.limit) else { throw Self.tooMany(runs) }
        var effects = EffectRuns(first: try Self.run(from: &reader, behind: nil))
        for _ in 0..<(runs - 1) {
            let run = try Self.run(from: &reader, behind: effects.lastEffect)
            effects.others.append(run)
            effects.count += 1 + Int(run.following)
            guard effects.count <= Self.limit else { throw Self.tooMany(UInt64(effects.count)) }
        }
        self = effects
    }

    private init(first: Run) {
        self.first = first
        count = 1 + Int(first.following)
    }

    private static func run(from reader: inout RecordReader, behind last: Effect?) throws(WireError) -> Run {
        let (position, isFar) = (last?.position ?? 0).addingReportingOverflow(try reader.varint())
        let (sequence, isLate) = (last?.sequence ?? 0).addingReportingOverflow(try reader.varint())
        let following = try reader.varint()
        guard following < UInt64(limit) else { throw tooMany(following) }
        let ends = !position.addingReportingOverflow(following).overflow && !sequence.addingReportingOverflow(following).overflow
        guard !isFar, !isLate, ends else { throw WireError(.malformed, "effects before byte \(reader.position) end past 2^64 - 1") }
        if let last, position <= last.position || sequence <= last.sequence {
            throw WireError(.malformed, "effects before byte \(reader.position) do not lie behind those before them")
        }
        return Run(position: position, sequence: sequence, following: following)
    }

    private static func tooMany(_ count: UInt64) -> WireError {
        WireError(.limitExceeded, "a record names \(count) effects or more, the limit is \(limit); say them in several records")
    }
}
