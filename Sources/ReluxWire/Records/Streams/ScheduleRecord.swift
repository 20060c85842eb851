/// Where a schedule of the module stands; the last one counts. In its module's journal only, on `~schedule`; that of a tick is in the batch of its effect.
///
///     +----------------+----------------+----------------+------------------------+-------------------+-------------+
///     | name           | rule           | last, ms       | next, ms since 1970,   | flags             | position    |
///     | varint, UTF-8  | varint, UTF-8  | since 1970,    | step from last, zigzag | varint: 1 paused, | varint      |
///     |                |                | zigzag         | 0: there is none       | 2 removed         | 0: no tick  |
///     +----------------+----------------+----------------+------------------------+-------------------+-------------+
public struct ScheduleRecord: RecordFields {
    public static let kind: UInt8 = 19
    public static let topic: Topic = "~schedule"

    public var scheduleName: String
    /// In words, for people.
    public var rule: String
    /// The time that it has come to, in milliseconds since 1970.
    public var last: Int64
    /// The time after it; nil when there is none.
    public var next: Int64?
    public var isPaused: Bool
    /// The module does not have it any more.
    public var isRemoved: Bool
    /// The effect of the tick with which this is said; 0 where it is said without one.
    public var position: UInt64

    public init(
        scheduleName: String, rule: String, last: Int64, next: Int64?, isPaused: Bool = false, isRemoved: Bool = false, position: UInt64 = 0
    ) {
        (self.scheduleName, self.rule, self.last, self.next) = (scheduleName, rule, last, next)
        (self.isPaused, self.isRemoved, self.position) = (isPaused, isRemoved, position)
    }

    var name: StaticString { "SCHEDULE" }

    func write(to writer: inout RecordWriter) {
        writer.text(scheduleName)
        writer.text(rule)
        writer.zigzag(last)
        writer.zigzag(next.map { $0 &- last } ?? 0)
        writer.varint((isPaused ? 1 : 0) | (isRemoved ? 2 : 0))
        writer.varint(position)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        scheduleName = try reader.text()
        rule = try reader.text()
        last = try reader.zigzag()
        let step = try reader.zigzag()
        next = step == 0 ? nil : last &+ step
        let flags = try reader.varint()
        (isPaused, isRemoved) = (flags & 1 != 0, flags & 2 != 0)
        position = try reader.varint()
    }
}
