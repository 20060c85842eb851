package import Relux

extension ScheduleRecord {
    /// - Parameter position: of the effect of the tick with which it is said; 0 for none.
    package init(_ place: Relux.SchedulePlace, position: UInt64 = 0) {
        self.init(
            scheduleName: place.name, rule: place.rule, last: place.last.milliseconds, next: place.next?.milliseconds, isPaused: place.isPaused,
            isRemoved: place.isRemoved, isSetBack: place.isSetBack, position: position)
    }
}

extension Relux.SchedulePlace {
    convenience init(_ record: ScheduleRecord) {
        self.init(
            name: record.scheduleName, rule: record.rule, last: Relux.WallTime(milliseconds: record.last),
            next: record.next.map { Relux.WallTime(milliseconds: $0) }, isPaused: record.isPaused, isRemoved: record.isRemoved)
    }
}
