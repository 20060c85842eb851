import ReluxControl
import ReluxLayers

/// Why something may not join or happen: the rule's stable name and a sentence with offender and remedy.
package struct Refusal: Error, Hashable, Sendable, Codable {
    package struct Rule: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        /// A rule that sources and libraries are judged by, too.
        init(_ rule: ErrorCode) { rawValue = rule.id }

        package static let restartsOthers = Rule(rawValue: "restarts-others")
        package static let reservedID = Rule(rawValue: "reserved-id")
        package static let moduleIDTaken = Rule(rawValue: "module-id-taken")
        package static let importCycle = Rule(rawValue: "import-cycle")
        package static let snapshotProvidedTwice = Rule(rawValue: "snapshot-provided-twice")
        package static let durabilityTooLow = Rule(rawValue: "durability-too-low")
        package static let declarationDiffers = Rule(rawValue: "declaration-differs")
        package static let barrierClosed = Rule(rawValue: "barrier-closed")
        package static let tooLarge = Rule(rawValue: "too-large")
        package static let unusableTopic = Rule(rawValue: "unusable-topic")
        package static let staleEpoch = Rule(rawValue: "stale-epoch")
        package static let hostNameTaken = Rule(rawValue: HostOrder.nameTaken)
        package static let badHostName = Rule(rawValue: "bad-host-name")
        package static let beingRemoved = Rule(rawValue: "being-removed")
        package static let nothingToLoad = Rule(rawValue: "nothing-to-load")
        package static let unknownHost = Rule(rawValue: "unknown-host")
        package static let servedVersionGone = Rule(rawValue: "served-version-gone")
        /// A plugin's directory cannot be read.
        package static let loaderUnreadable = Rule(rawValue: "loader.unreadable")
        /// A host's, of a library that was built for another runtime.
        package static let loaderGuard = Rule(rawValue: "loader.guard")
        /// What was served was built for another runtime.
        package static let otherRuntime = Rule(rawValue: "other-runtime")
        package static let unknownModule = Rule(rawValue: "unknown-module")
        package static let isImported = Rule(rawValue: "is-imported")
        package static let ingressClosed = Rule(rawValue: "ingress-closed")
        package static let ingressFull = Rule(rawValue: "ingress-full")
        package static let tooMuchUnread = Rule(rawValue: "too-much-unread")
        package static let tooMuchAsked = Rule(rawValue: "too-much-asked")
        package static let answerForgotten = Rule(rawValue: "answer-forgotten")
        package static let handingOver = Rule(rawValue: "handing-over")
        package static let handOverFailed = Rule(rawValue: "hand-over-failed")
        package static let otherModule = Rule(rawValue: "other-module")
        package static let ownExecutable = Rule(rawValue: "own-executable")
        package static let contractBroken = Rule(rawValue: "contract-broken")
        package static let missingImport = Rule(rawValue: "missing-import")
        package static let noWayBack = Rule(rawValue: "no-way-back")
        package static let hostNotRunning = Rule(rawValue: "host-not-running")
        package static let noSupervisor = Rule(rawValue: "no-supervisor")
        package static let noProcess = Rule(rawValue: "no-process")
        package static let noLetter = Rule(rawValue: "no-letter")
        package static let noSchedule = Rule(rawValue: "no-schedule")
        package static let notAccepted = Rule(rawValue: "not-accepted")
        package static let shuttingDown = Rule(rawValue: "shutting-down")
    }

    package var rule: Rule
    package var message: String
    /// What goes over by itself, as in "waiting for …"; nil when somebody has to do something first.
    package var passes: String?
    /// - Parameter message: what it quotes may be as long as a message; of a sentence that nobody could read the beginning is kept.
    package init(_ rule: Rule, _ message: String, passes: String? = nil) {
        self.rule = rule
        self.message = Self.readable(message)
        self.passes = passes
    }

    /// The sentence behind the rule's name; that of a host begins with it already.
    var named: String { "\(rule.rawValue): \(unnamed)" }

    /// The sentence without the rule's name, for whoever writes that in front.
    var unnamed: String {
        let name = "\(rule.rawValue): "
        return message.hasPrefix(name) ? String(message.dropFirst(name.count)) : message
    }

    /// What a sentence may have at most, in bytes.
    static let byteLimit = 8192

    static func readable(_ text: String) -> String {
        guard text.utf8.count > byteLimit else { return text }
        return String(decoding: text.utf8.prefix(byteLimit), as: UTF8.self) + " … (of \(text.utf8.count) bytes)"
    }

    /// Why somebody may not call a host so; nil when that is allowed.
    static func ofName(_ host: HostID) -> Refusal? {
        guard !host.isName else { return nil }
        let (shown, count) = (String(host.rawValue.unicodeScalars.prefix(64)).debugDescription, host.rawValue.utf8.count)
        let length = count > 64 ? ", of \(count) bytes," : ""
        return Refusal(.badHostName, "\(shown)\(length) cannot be the name of a host; it takes \(HostID.grammar)")
    }
}
