package import ReluxWire
import Synchronization

extension Relux {
    /// The schedules of the node's one module run from now on.
    package func startSchedules() { startSchedules(of: name) }

    /// Emits the effect of a schedule of the node's one module now, besides its ticks.
    ///
    /// - Returns: the effect's id.
    /// - Throws: `schedule` when there is no such schedule, `closed` while the module is not open, or why the effect was not accepted.
    package func fireSchedule(_ schedule: String) async throws(Failure) -> EffectID { try await ownScheduler().fire(schedule) }

    /// No tick of the schedule is emitted until ``resumeSchedule(_:)``, in later lives of the module too.
    ///
    /// - Returns: false when it was paused already. The journal has it by then.
    /// - Throws: `schedule` when there is no such schedule, `closed` while the module is not open.
    package func pauseSchedule(_ schedule: String) async throws(Failure) -> Bool { try await ownScheduler().pause(schedule) }

    /// - Returns: false when it was not paused. The journal has it by then.
    /// - Throws: as ``pauseSchedule(_:)``.
    package func resumeSchedule(_ schedule: String) async throws(Failure) -> Bool { try await ownScheduler().resume(schedule) }

    private func ownScheduler() throws(Failure) -> Scheduler {
        guard let scheduler = schedulers.withLock({ $0[name] }) else {
            throw Failure(domain: Failure.domainName, code: "closed", message: "\(name) is not open now; nothing was done")
        }
        return scheduler
    }

    func startSchedules(of module: ModuleID) { schedulers.withLock { $0[module] }?.start() }

    func stopSchedules(of module: ModuleID) { schedulers.withLock { $0.removeValue(forKey: module) }?.stop() }
}

extension Relux.Schedule {
    /// Why one of a module's schedules cannot be kept, with the place in its source; nil when all can.
    ///
    /// - Parameter emits: the effect types that the module may emit; nil for any.
    package static func fault(of schedules: [Relux.Schedule], emits: [any Relux.Effect.Type]?) -> String? {
        let emitted = emits.map { Set($0.map { ObjectIdentifier($0) }) }
        var names: Set<String> = []
        for schedule in schedules {
            let place = "the schedule \"\(schedule.name.cut(to: 80))\" at \(schedule.site.file):\(schedule.site.line)"
            if let fault = schedule.fault { return "\(place): \(fault.message)" }
            if !names.insert(schedule.name).inserted { return "\(place) has the name of another one; the journal knows schedules by name: change one of them" }
            if let emitted, !emitted.contains(ObjectIdentifier(schedule.effectType)) {
                return "\(place) emits \(Relux.typePath(of: schedule.effectType)), which the module does not declare; name it in `emits`"
            }
        }
        guard schedules.count > countPerModule else { return nil }
        return "it has \(schedules.count) schedules, the limit is \(countPerModule); let one schedule stand for several"
    }

    private static let countPerModule = 64
}
