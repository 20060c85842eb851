public import ReluxWire

extension Relux {
    /// Is told of every dispatch after it has ended.
    public protocol Logger: Sendable {
        func log(_ entry: LogEntry)
    }

    /// One dispatched action or effect, or a refused registration.
    public struct LogEntry: Sendable {
        /// nil for a refused registration.
        public var action: (any Relux.Action)?
        public var module: ModuleID
        /// The effect whose handler dispatched it.
        public var cause: EffectID?
        public var result: ActionResult
        public var duration: Duration
        public var label: String
        public var site: Site?
        public var message: String
        /// It was not accepted: nobody got it. Its result says why.
        public var isRefused: Bool { result.isRefused }

        init(
            action: (any Relux.Action)?, module: ModuleID, cause: EffectID? = nil, result: ActionResult,
            duration: Duration = .zero, label: String = "", site: Site? = nil, message: String = ""
        ) {
            self.action = action
            self.module = module
            self.cause = cause
            self.result = result
            self.duration = duration
            self.label = label
            self.site = site
            self.message = message
        }

        static func refusal(_ error: RegistrationError) -> Self {
            Self(action: nil, module: error.module, result: .failure(error), message: error.message)
        }

        public var isEffect: Bool { action is any Relux.Effect }

        /// `Auth.Business.Effect.login(name: "ann", password: •••)`: the full path, so that two domains are told apart; with the reason, and
        /// `refused` before it, for a dispatch that was not accepted.
        public var description: String {
            guard let action else { return message }
            guard isRefused else { return Relux.describe(action) }
            return "refused \(Relux.describe(action)) (\(result.failures.first?.code ?? ""))"
        }
    }
}

extension Relux {
    /// An action with its full type path, case and payload, by reflection; secrets show as `•••`. For people, never for
    /// the wire.
    public static func describe(_ action: any Relux.Action) -> String {
        let reflection = EnumReflection(action)
        let name = reflection.caseName.map { ".\($0)" } ?? ""
        let values = reflection.associatedValues.joined(separator: ", ")
        return reflection.typePath + name + (values.isEmpty ? "" : "(\(values))")
    }
}
