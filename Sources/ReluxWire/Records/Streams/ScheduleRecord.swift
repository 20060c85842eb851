/// Where a schedule of the module stands; the last one counts. In its module's journal only, on `~schedule`; that of a tick is in the batch of its effect.
///
///     +----------------+----------------+----------------+------------------------+-----------------------------+
///     | name           | rule           | last, ms       | next, ms since 1970,   | flags, varint: 1 paused,    |
///     | varint, UTF-8  | varint, UTF-8  | since 1970,    | step from last, zigzag | 2 removed, 4 last counts    |
///     |                |                | zigzag         | 0: there is none       | although it goes back       |
///     +----------------+----------------+----------------+------------------------+-----------------------------+
///     | position of the last tick's     | that tick's time, ms since 1970, step from last, zigzag              |
///     | effect, varint, 0: not said     |                                                                      |
///     +---------------------------------+----------------------------------------------------------------------+
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
    /// The clock went back: `last` counts although an earlier record has a later one.
    public var isSetBack: Bool
    /// The effect of the last tick; 0 where the record does not say it, and none was before.
    public var position: UInt64
    /// The time of that tick, in milliseconds since 1970.
    public var fired: Int64

    public init(
        scheduleName: String, rule: String, last: Int64, next: Int64?, isPaused: Bool = false, isRemoved: Bool = false,
        isSetBack: Bool = false, position: UInt64 = 0, fired: Int64? = nil
    ) {
        (self.scheduleName, self.rule, self.last, self.next) = (scheduleName, rule, last, next)
        (self.isPaused, self.isRemoved, self.isSetBack) = (isPaused, isRemoved, isSetBack)
        (self.position, self.fired) = (position, fired ?? last)
    }

    var name: StaticString { "SCHEDULE" }

    func write(to writer: inout RecordWriter) {
        writer.text(scheduleName)
        writer.text(rule)
        writer.zigzag(last)
        writer.zigzag(next.map { $0 &- last } ?? 0)
        writer.varint((isPaused ? 1 : 0) | (isRemoved ? 2 : 0) | (isSetBack ? 4 : 0))
        writer.varint(position)
        writer.zigzag(fired &- last)
    }

    init(from reader: inout RecordReader) throws(WireError) {
        scheduleName = try reader.text()
        rule = try reader.text()
        last = try reader.zigzag()
        let step = try reader.zigzag()
        next = step == 0 ? nil : last &+ step
        let flags = try reader.varint()
        (isPaused, isRemoved, isSetBack) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        position = try reader.varint()
        fired = last &+ (try reader.zigzag())
    }
}
