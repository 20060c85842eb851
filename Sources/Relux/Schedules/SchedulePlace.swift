extension Relux {
    /// Where a schedule stands: what its module's journal keeps of it.
    package final class SchedulePlace: Sendable, Hashable {
        package let name: String
        /// The rule in words.
        package let rule: String
        /// The time that it has come to: the last that was emitted or left out.
        package let last: WallTime
        /// The time after it; nil when there is none.
        package let next: WallTime?
        package let isPaused: Bool
        /// The module does not have it any more.
        package let isRemoved: Bool
        /// The clock went back: ``last`` counts although the journal has a later one.
        package let isSetBack: Bool

        package init(
            name: String, rule: String, last: WallTime, next: WallTime?, isPaused: Bool = false, isRemoved: Bool = false,
            isSetBack: Bool = false
        ) {
            (self.name, self.rule, self.last, self.next) = (name, rule, last, next)
            (self.isPaused, self.isRemoved, self.isSetBack) = (isPaused, isRemoved, isSetBack)
        }

        package static func == (left: SchedulePlace, right: SchedulePlace) -> Bool {
            left.name == right.name && left.rule == right.rule && left.last == right.last && left.next == right.next
                && left.isPaused == right.isPaused && left.isRemoved == right.isRemoved
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(last)
        }
    }
}
