package import ReluxWire

/// A handler that keeps a thread without letting go of it, as its host tells it.
package struct BlockedHandler: Codable, Sendable, Hashable {
    package var module: ModuleID
    package var effect: EffectID
    package var milliseconds: UInt64
    /// It computes; else it waits in the system.
    package var isBusy: Bool
    /// Where, the innermost first.
    package var frames: [String]

    package init(module: ModuleID, effect: EffectID, milliseconds: UInt64, isBusy: Bool, frames: [String]) {
        self.module = module
        self.effect = effect
        self.milliseconds = milliseconds
        self.isBusy = isBusy
        self.frames = frames
    }

    /// One line for status, doctor and log.
    package var text: String {
        let seconds = Double(milliseconds / 100) / 10
        let place = frames.isEmpty ? "" : ", at " + frames.prefix(6).joined(separator: " ← ")
        return "\(module) \(isBusy ? "computes on" : "blocks") a thread for \(seconds) s, handling \(effect)\(place)"
            + (isBusy ? "; let others run from time to time (await Task.yield())" : "; await instead, or wait on a thread of its own")
    }
}
