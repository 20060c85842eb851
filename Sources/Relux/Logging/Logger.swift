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

        init(
            action: any Relux.Action, module: ModuleID, cause: EffectID?, result: ActionResult, duration: Duration,
            label: String, site: Site
        ) {
            self.action = action
            self.module = module
            self.cause = cause
            self.result = result
            self.duration = duration
            self.label = label
            self.site = site
            message = ""
        }

        static func refusal(_ error: RegistrationError) -> Self {
            var entry = Self(
                action: NoAction(), module: error.module, cause: nil, result: .failure(error), duration: .zero, label: "",
                site: Site(file: "", line: 0, function: ""))
            entry.action = nil
            entry.site = nil
            entry.message = error.message
            return entry
        }
        private struct NoAction: Relux.Action {}

        public var isEffect: Bool { action is any Relux.Effect }

        /// `Auth.Business.Effect.login(name: "ann", password: •••)`: the full path, so that two domains are told apart.
        public var description: String {
            guard let action else { return message }
            let reflection = EnumReflection(action)
            let name = reflection.caseName.map { ".\($0)" } ?? ""
            let values = reflection.associatedValues.isEmpty ? "" : "(\(reflection.associatedValues.joined(separator: ", ")))"
            return reflection.typePath + name + values
        }
    }
}
