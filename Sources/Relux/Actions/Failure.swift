import ReluxWire

extension Relux {
    /// Why a recipient did not succeed; crosses processes.
    public struct Failure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The origin of the code: `relux` for the platform's own codes, else the error type's path.
        public var domain: String
        /// Stable within its domain.
        public var code: String
        public var message: String
        public var details: [String: String]

        public init(domain: String, code: String, message: String, details: [String: String] = [:]) {
            self.domain = domain
            self.code = code
            self.message = message
            self.details = details
        }

        /// Takes over any thrown error; an error that is a `Failure` already stays as it is.
        public init(_ error: any Error) {
            if let failure = error as? Failure {
                self = failure
            } else {
                let type = type(of: error)
                self.init(
                    domain: Relux.typePath(of: type), code: EnumReflection(error).caseName ?? "error",
                    message: String(describing: error))
            }
        }

        public var description: String { "\(domain).\(code): \(message)" }
    }
}

extension Relux.Failure {
    static let domainName = "relux"

    /// Not answered before the deadline; the effect stays on its way.
    ///
    /// - Parameters:
    ///   - after: how long it was waited for; zero or less when the deadline that it inherited was over by then.
    ///   - why: it is absent; nil when it is not known to be.
    public static func unanswered(_ module: String, after: Duration, absent why: String? = nil) -> Self {
        let time = after > .zero ? "after \(DurationText.print(after))" : "at once, when the deadline that its await inherited was over already"
        let reason = why.map { " (\(module) is absent: \($0))" } ?? ""
        return Self(
            domain: domainName, code: "unanswered",
            message: "\(module) had not settled the effect \(time)\(reason); it stays on its way, only the waiting ended",
            details: ["module": module])
    }
    /// The recipient is known to be absent; the effect is kept for it.
    public static func parked(_ module: String, _ why: String) -> Self {
        Self(
            domain: domainName, code: "parked", message: "\(why); the effect is kept until \(module) is back",
            details: ["module": module, whyKey: why])
    }
    static let whyKey = "why"
    /// The recipient was removed before it settled the effect, or is absent and the effect is transient, which nothing keeps.
    ///
    /// - Parameter why: it is absent; nil when it is not known to be.
    public static func lost(_ module: String, absent why: String? = nil) -> Self {
        guard let why else {
            return Self(
                domain: domainName, code: "lost", message: "\(module) went away before it settled the effect",
                details: ["module": module])
        }
        return Self(
            domain: domainName, code: "lost", message: "\(module) is absent, and a transient effect is not kept for it: \(why)",
            details: ["module": module, whyKey: why])
    }
    /// - Parameter shown: the path as the message has it, when it is a long one.
    public static func cycle(path: String, shown: String? = nil) -> Self {
        Self(
            domain: domainName, code: "cycle",
            message: "a serial module would wait for itself: \(shown ?? path); answer without awaiting, or make it concurrent",
            details: ["path": path])
    }
    /// - Parameters:
    ///   - shown: the path as the message has it, when it is a long one.
    ///   - modules: those that it went on between at its end.
    public static func hops(limit: Int, path: String, shown: String? = nil, modules: [String] = []) -> Self {
        let who =
            switch modules.count {
            case 0: "two modules probably answer each other"
            case 1: "\(modules[0]) probably answers itself"
            default: "\(modules.joined(separator: ", ")) probably answer each other"
            }
        return Self(
            domain: domainName, code: "hops", message: "the chain of causes is longer than \(limit) hops: \(shown ?? path); \(who)",
            details: ["path": path, "limit": "\(limit)"])
    }
    public static func undeclared(topic: String, module: String) -> Self {
        Self(
            domain: domainName, code: "undeclared",
            message: "\(module) does not declare that it emits \(topic); add the topic to `emits` and pack it again",
            details: ["topic": topic, "module": module])
    }
    /// The effect's type has a name that cannot travel; nothing was sent.
    public static func unusableTopic(_ fault: String) -> Self {
        Self(domain: domainName, code: "unusableTopic", message: "\(fault); nothing was sent")
    }
    public static func coding(_ message: String) -> Self {
        Self(domain: domainName, code: "coding", message: message)
    }
    public static func overloaded(_ module: String) -> Self {
        Self(
            domain: domainName, code: "overloaded",
            message: "too much is unsettled at \(module); the effect was not accepted, try again later",
            details: ["module": module])
    }
    /// The disk has less room than its reserve.
    package static func overloaded(disk trouble: String) -> Self {
        Self(
            domain: domainName, code: "overloaded", message: "the effect was not accepted: \(trouble)", details: ["disk": trouble])
    }
    public static let cancelled = Self(
        domain: domainName, code: "cancelled", message: "cancelled while the delay ran; nothing was sent")
    public static let noNode = Self(
        domain: domainName, code: "noNode",
        message: "no Relux node here: call this inside a handler, or use the module's `dispatcher` or `relux.dispatcher`")
    public static func closed(_ module: String) -> Self {
        Self(domain: domainName, code: "closed", message: "\(module) is not registered any more; nothing was sent")
    }
    /// The module has come to its end while a `delay:` of its own ran.
    static func left(_ module: String) -> Self {
        Self(
            domain: domainName, code: "closed",
            message: "\(module) left while the delay ran; nothing was sent: a delay does not outlive its module, let its next life say it again",
            details: ["module": module])
    }
}
