/// Something that people do with a schedule of a module.
package struct ScheduleOrder: Codable, Sendable, Hashable {
    package enum Deed: String, Codable, Sendable, Hashable {
        case fire, pause, resume
    }
    package var schedule: String
    package var deed: Deed

    package init(_ deed: Deed, _ schedule: String) { (self.deed, self.schedule) = (deed, schedule) }

    package enum Outcome: Codable, Sendable, Hashable {
        /// In words.
        case done(String)
        /// Nothing was done: there is no such schedule.
        case unknown(String)
        /// The effect was not accepted.
        case refused(String)
        /// Nothing was done: the module is not open.
        case later(String)
    }
}
