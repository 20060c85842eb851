public import Relux

/// The interface between orchestrators and the modules elsewhere that contribute actions to them; see <doc:AcrossProcesses>.
public enum Orchestration {
    public enum Business {
        /// The questions to the modules that contribute; each answers for itself with a value, as a flow does.
        ///
        /// It is asked of running processes: a process that dies with a question does not find it again in its next life.
        public enum Request: Relux.Effect, Hashable {
            /// Which actions do you contribute? ``ActionOffers``.
            case collect(orchestrator: ModuleID)
            /// Is it due? A `Bool`; nothing at the limit, or while an earlier question is open.
            case gate(owner: ModuleID, orchestrator: ModuleID, action: ActionID, limitMilliseconds: UInt64)
            /// Run it, or answer for the run that is under way too. Settled when it has begun; its end is ``Answer/ended(call:result:values:removed:left:)``.
            case execute(owner: ModuleID, orchestrator: ModuleID, action: ActionID, call: String, values: [String: CodedValue])
            /// Nobody waits for that call any more. It is answered all the same, when the action has ended.
            case cancel(owner: ModuleID, call: String)
            /// Which completion signals are open? `[SignalState]`.
            case signals
            /// Completes a signal of that name, of one module or of all: a `Bool`, true when it was open. Later ones do nothing.
            case complete(signal: String, owner: ModuleID?)

            public static var wireDurability: Relux.Durability { .transient }
        }

        /// The later answers of those who contribute.
        public enum Answer: Relux.Effect, Hashable {
            /// It is about to run; until then nothing was done.
            case began(call: String)
            /// It has ended, with the values it has set, the keys it has removed, and the keys, with the reason, of values that stay in its process.
            case ended(call: String, result: ActionResult, values: [String: CodedValue], removed: [String], left: [String: String])
        }
    }
}

/// The contributions of a module to an orchestrator.
public struct ActionOffers: Codable, Sendable, Hashable {
    /// The module's life in the cluster; 0 outside of one.
    public let epoch: UInt64
    /// Another one in each life of the contributor, also where it has no epoch.
    public let life: UInt64
    /// The module's place in the order of registration; the same in all its lives.
    public let place: UInt64
    /// In the order of their registration.
    public let actions: [ActionOffer]
    /// The actions that run, for the orchestrator that has asked.
    public let running: [ActionID]
}

/// An action that runs elsewhere.
public struct ActionOffer: Codable, Sendable, Hashable {
    public let id: ActionID
    public let priority: ActionPriority
    /// nil for as long as it likes.
    public let timeLimitMilliseconds: UInt64?
    public let excludedModes: [String]

    init(_ action: any OrchestratedAction) {
        id = action.id
        priority = action.priority
        timeLimitMilliseconds = action.timeLimit?.wholeMilliseconds
        excludedModes = action.excludedModes.sorted()
    }

    var timeLimit: Duration? { timeLimitMilliseconds.map { .milliseconds(Int64(clamping: $0)) } }
}

/// A completion signal that somebody may complete.
public struct SignalState: Codable, Sendable, Hashable {
    public let name: String
    public let isComplete: Bool
    /// How many wait for it.
    public let waiters: Int
}
