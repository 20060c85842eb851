import Glibc

/// The conditions that a process finds when it starts, inherited from whoever has started it.
package struct StartFacts: Sendable {
    /// A directory that the environment names.
    package enum Place: Sendable, Equatable {
        case fine
        case unset
        case missing(String)
        case readOnly(String)
    }
    /// Which of the three standard descriptors were closed.
    package var closed: [Int32] = []
    /// Descriptors that the process may have, when the soft limit has been raised to the hard one.
    package var descriptors = Int.max
    /// Resources that are limited, when the soft limits have been raised to the hard ones: bytes, or seconds.
    package var limits: [InheritedLimit: Int] = [:]
    package var ignored: [Int32] = []
    package var blocked: [Int32] = []
    package var mask: UInt32 = 0o022
    package var hasWorkingDirectory = true
    package var home = Place.fine
    package var temporary = Place.fine
    /// The variable that decides how text is written, and its value, such as `LC_ALL` and `de_DE.ISO-8859-1`; nil when none is set.
    package var locale: (variable: String, value: String)?
    /// Seconds since 1970, by the machine's clock.
    package var time = 1_800_000_000
    package init() {}
}

/// One thing that is not as it should be at the start of a process, with what was done about it, or what to do.
package struct StartFinding: Sendable, Hashable, CustomStringConvertible {
    /// Stable: `descriptors`, `standard`, `signals`, `umask`, `directory`, `home`, `temporary`, `locale`, `clock`, or an ``InheritedLimit``.
    package let name: String
    /// The process cannot work like this and must not start.
    package let isFatal: Bool
    package let text: String
    package let remedy: String
    package var description: String { "\(name): \(text); \(remedy)" }
    package init(name: String, isFatal: Bool, text: String, remedy: String) {
        self.name = name
        self.isFatal = isFatal
        self.text = text
        self.remedy = remedy
    }
}

/// Judges what a process finds at its start: pure. ``settle(_:)`` reads it and mends what can be mended.
package enum StartConditions {
    /// 2020-01-01.
    private static let earliest = 1_577_836_800

    /// - Parameter needed: descriptors that the process will want, see ``DescriptorNeed``.
    package static func findings(_ facts: StartFacts, needed: Int) -> [StartFinding] {
        var findings: [StartFinding] = []
        func note(_ name: String, _ text: String, _ remedy: String, isFatal: Bool = false) {
            findings.append(StartFinding(name: name, isFatal: isFatal, text: text, remedy: remedy))
        }
        if facts.descriptors < needed {
            note(
                "descriptors", "this process may have \(facts.descriptors) files and sockets open and needs \(needed)",
                "raise the limit where it is started, for instance by `ulimit -n \(roundedUp(needed))` or LimitNOFILE= of its unit", isFatal: true)
        }
        for limit in InheritedLimit.allCases {
            if let finding = facts.limits[limit].flatMap({ limit.finding($0, .daemon) }) { findings.append(finding) }
        }
        if !facts.closed.isEmpty {
            note(
                "standard", "\(list(facts.closed.map { ["input", "output", "error"][Int($0)] })) was closed and is nothing now",
                "redirect it from or to /dev/null, or a file, where it is started")
        }
        if !facts.ignored.isEmpty || !facts.blocked.isEmpty {
            let parts = [("ignored", facts.ignored), ("blocked", facts.blocked)].filter { !$0.1.isEmpty }
            note(
                "signals", parts.map { "\(list($0.1.map(name(ofSignal:)))) \($0.0)" }.joined(separator: ", ") + " by whoever has started this process",
                "it takes them all the same")
        }
        if facts.mask & 0o700 != 0 {
            note(
                "umask", "a umask of \(octal(facts.mask)) would keep this process out of its own files", "it is not obeyed; set 077 or 022")
        } else if facts.mask & 0o022 == 0 {
            note("umask", "a umask of \(octal(facts.mask)) opens new files to others", "the cluster's own stay closed; set 077 or 022")
        }
        if !facts.hasWorkingDirectory {
            note("directory", "the working directory was deleted", "relative paths lead nowhere; cd to one that is there")
        }
        for (name, variable, place) in [("home", "HOME", facts.home), ("temporary", "TMPDIR", facts.temporary)] {
            switch place {
            case .fine, .unset: break
            case .missing(let path): note(name, "\(variable)=\(path) is not there", "set it to a directory that is there, or unset it")
            case .readOnly(let path):
                note(name, "\(variable)=\(path) cannot be written", "give this user the right to write it, or name another directory")
            }
        }
        if let (variable, value) = facts.locale, let charset = charset(value), !["utf8", "utf-8"].contains(charset.lowercased()) {
            note("locale", "\(variable)=\(value) promises \(charset), and all text here is UTF-8", "set \(variable)=C.UTF-8, or another one of UTF-8")
        }
        if facts.time < earliest {
            note("clock", "the machine's clock stands before 2020 (\(facts.time) s since 1970)", "set it: times in logs, journals and letters are wrong")
        }
        return findings
    }

    /// The limit under which a process of this role would end in the midst of its first words; nil when there is none.
    package static func refusal(_ facts: StartFacts, _ role: Role) -> StartFinding? {
        InheritedLimit.allCases.lazy.compactMap { limit in facts.limits[limit].flatMap { limit.finding($0, role) } }.first(where: \.isFatal)
    }

    /// `ISO-8859-1` of `de_DE.ISO-8859-1@euro`; nil where none is named, as in `C`.
    private static func charset(_ locale: String) -> Substring? {
        locale.split(separator: ".", maxSplits: 1).dropFirst().first?.prefix { $0 != "@" }
    }

    private static func roundedUp(_ number: Int) -> Int {
        var power = 256
        while power < number { power *= 2 }
        return power
    }

    private static func octal(_ mask: UInt32) -> String {
        let digits = String(mask, radix: 8)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: " and ") }

    private static func name(ofSignal number: Int32) -> String {
        switch number {
        case SIGTERM: "SIGTERM"
        case SIGINT: "SIGINT"
        case SIGHUP: "SIGHUP"
        case SIGCHLD: "SIGCHLD"
        case SIGPIPE: "SIGPIPE"
        default: "signal \(number)"
        }
    }
}

/// How many descriptors a process of the cluster needs, by measure: its own, and those that each other process adds.
package enum DescriptorNeed {
    /// The need of a host, of the broker or of the supervisor, in a cluster with this number of hosts.
    package static func ofProcess(hosts: Int) -> Int { own + perHost * max(1, hosts) }

    /// Sockets' own descriptors, journals, libraries, logs.
    private static let own = 80
    /// A connection in and one out, and room for two more while processes are replaced.
    private static let perHost = 4
}
