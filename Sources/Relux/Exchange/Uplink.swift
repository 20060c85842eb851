package import ReluxWire

extension Relux {
    /// The way to other modules: journal and bus. Absent in a node that stands alone.
    ///
    /// It hands accepted effects to all recipients, those of this process included, and settlements back, once they are journaled.
    package protocol Uplink: AnyObject, Sendable {
        /// Called under the exchange's lock, in the order of each stream; must only queue. ``go(last:)`` follows.
        func append(_ emission: Emission)
        /// A result as it is said; nil for a success without a value. Called without any lock: it runs code of modules.
        func coded(_ result: ActionResult) -> [UInt8]?
        /// Called with or without the lock, once for each delivery that a recipient here has settled; must only queue. ``go(last:)`` follows.
        func settled(_ settled: Settled)
        /// The same for several at once, with the states that changed for them: journaled together or not at all, in this order:
        /// states, settlements. The caller goes on as if they were journaled: an uplink that cannot append them now keeps them, in
        /// order, or ends the process.
        ///
        /// - Parameter life: the module's life in this process; nothing is taken of a past one. 0 when it does not matter.
        func settled(_ batch: [Settled], capturing states: [CapturedState], of module: ModuleID, life: UInt64)
        /// The uplink works off its queue; called without any lock.
        ///
        /// - Parameter last: the caller queues nothing more before this has had its effect, so that waiting for company is in vain.
        func go(last: Bool)
        /// Journals a value that `once` made; returns when it is appended. False when the journal took nothing.
        func keep(_ value: KeptValue, of module: ModuleID) async -> Bool
        /// Journals where a schedule of the module stands; must only queue.
        ///
        /// - Parameters:
        ///   - life: the module's life in this process; nothing is taken of a past one.
        ///   - waiter: told when it is appended; false when the journal took nothing.
        func note(_ place: SchedulePlace, of module: ModuleID, life: UInt64, waiter: UnsafeContinuation<Bool, Never>?)
        /// Returns when all that the module has said so far survives the loss of power.
        func secure(_ module: ModuleID) async
        /// Journals that a suspect's handler is about to start; returns when that is appended.
        ///
        /// - Parameters:
        ///   - deaths: with this effect so far.
        ///   - wasAlone: no other handler of the module ran at the last of them.
        func attempting(_ effect: EffectID, of module: ModuleID, deaths: Int, wasAlone: Bool) async
        /// Keeps an effect that is not handled; must only queue. Its settlement follows.
        func deadLetter(_ letter: DeadLetter, of module: ModuleID)
        /// A dispatch of a module of this process was not accepted; must only queue. ``go(last:)`` follows.
        ///
        /// - Parameters:
        ///   - count: how many such refusals are to be journaled with it; 0 when none is, because its site's last report is fresh.
        ///   - isShown: taps see it.
        func refused(_ refused: RefusedDispatch, standingFor count: UInt64, isShown: Bool)
        /// Whether ``admit(_:until:)`` would return at once, with nothing.
        func hasRoom(for topic: Topic) -> Bool
        /// Waits until there is room for one more effect of a source, which is what no handler says; nil when there is.
        ///
        /// - Returns: the refusal when there was none before the deadline. Handlers never wait here: two could hold each other.
        func admit(_ topic: Topic, until deadline: Duration) async -> ActionResult?
        /// Seals the secrets of payloads and results.
        var sealer: (any SecretSealing)? { get }
    }
}

extension Relux.Uplink {
    package func go(last: Bool) {}
    package func coded(_ result: Relux.ActionResult) -> [UInt8]? { nil }

    /// There is always room.
    package func hasRoom(for topic: Topic) -> Bool { true }
    package func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? { nil }

    package func settled(_ batch: [Relux.Settled], capturing states: [Relux.CapturedState], of module: ModuleID, life: UInt64) {
        for settled in batch { self.settled(settled) }
    }

    /// There is no journal: the value lasts as long as the process.
    package func keep(_ value: Relux.KeptValue, of module: ModuleID) async -> Bool { true }

    /// There is no journal: the place lasts as long as the process.
    package func note(_ place: Relux.SchedulePlace, of module: ModuleID, life: UInt64, waiter: UnsafeContinuation<Bool, Never>?) {
        waiter?.resume(returning: true)
    }

    /// Nothing survives it.
    package func secure(_ module: ModuleID) async {}

    /// Counted and written as a line it is by then.
    package func refused(_ refused: Relux.RefusedDispatch, standingFor count: UInt64, isShown: Bool) {}

    /// Nothing is remembered.
    package func attempting(_ effect: EffectID, of module: ModuleID, deaths: Int, wasAlone: Bool) async {}
    package func deadLetter(_ letter: Relux.DeadLetter, of module: ModuleID) {}
}
