/// The parts that an effect may share with those before it in the same frame, or in the same run of a journal: contexts, names of cases, and the
/// numbers of the last effect.
///
/// Design notes. A record that names context and case by number, and says of position, sequence and time only the step from the effect before, has some
/// ten bytes besides its payload, and each of its numbers is read in one step.
public struct EffectChain: Sendable {
    /// In the order in which they were said, as are the names.
    private var contexts: [EffectContext] = []
    private(set) var cases: [String] = []
    private(set) var (position, sequence, wallTime): (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// A writer looks among the last ones only.
    private static let window = 8

    public init() {}

    var contextCount: Int { contexts.count }

    func context(_ number: UInt64) -> EffectContext? { number < UInt64(contexts.count) ? contexts[Int(number)] : nil }

    /// The number of the record's context when the record can be said by steps; nil when all of it has to be said.
    func number(for record: EffectRecord) -> Int? {
        guard record.position > position, record.sequence > sequence else { return nil }
        return Self.number(in: contexts.count) { contexts[$0] == record.context }
    }

    /// The number of a name that was said; the next number for one that was not.
    ///
    /// Swift takes texts for equal that are only canonically equivalent; what was said has to come back byte by byte.
    func number(ofCase name: String) -> Int {
        Self.number(in: cases.count) { Self.isSame(cases[$0], name) } ?? cases.count
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        #if _pointerBitWidth(_64)
            // Short names lie in the value itself.
            if unsafeBitCast(left, to: (UInt64, UInt64).self) == unsafeBitCast(right, to: (UInt64, UInt64).self) { return true }
        #endif
        if left.utf8.count != right.utf8.count { return false }
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<left.count where left[index] != right[index] { return false }
                return true
            }
        }
    }

    @inline(__always)
    private static func number(in count: Int, where isWanted: (Int) -> Bool) -> Int? {
        var number = count - 1
        let end = max(0, count - window)
        while number >= end {
            if isWanted(number) { return number }
            number -= 1
        }
        return nil
    }

    /// Where the chain stands.
    public struct Mark: Sendable {
        fileprivate let contexts: Int
        fileprivate let cases: Int
        fileprivate let position: UInt64
        fileprivate let sequence: UInt64
        fileprivate let wallTime: UInt64
    }

    public var mark: Mark {
        Mark(contexts: contexts.count, cases: cases.count, position: position, sequence: sequence, wallTime: wallTime)
    }

    /// Takes back all that was said behind the mark.
    public mutating func rewind(to mark: Mark) {
        contexts.removeLast(contexts.count - mark.contexts)
        cases.removeLast(cases.count - mark.cases)
        (position, sequence, wallTime) = (mark.position, mark.sequence, mark.wallTime)
    }

    /// The record was said with all of its context.
    mutating func begin(with record: EffectRecord) {
        contexts.append(record.context)
        step(to: record, saying: true)
    }

    /// - Parameter isNamed: the name of its case was said.
    mutating func step(to record: EffectRecord, saying isNamed: Bool) {
        if isNamed { cases.append(record.caseName) }
        (position, sequence, wallTime) = (record.position, record.sequence, record.wallTimeMilliseconds)
    }
}
