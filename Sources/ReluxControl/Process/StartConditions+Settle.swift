import Glibc
import ReluxOutput

extension StartConditions {
    /// The kind of process that settles.
    package enum Role: Sendable {
        /// Supervisor, broker, host: what it makes is for this user alone.
        case daemon
        /// A person's command: the files that it makes are as that person wants them.
        case command
    }

    /// Reads what this process has inherited and mends what can be mended. Call it first, before anything opens a file.
    package static func settle(_ role: Role) -> StartFacts {
        var facts = StartFacts()
        facts.closed = Descriptor.closedAtStart
        facts.descriptors = raise(RLIMIT_NOFILE) ?? .max
        for limit in InheritedLimit.allCases { facts.limits[limit] = raise(limit.resource) }
        (facts.ignored, facts.blocked) = takeSignals(role)
        facts.mask = narrowMask(role)
        if let directory = getcwd(nil, 0) {
            free(directory)
        } else {
            facts.hasWorkingDirectory = false
            // It would be in the way of whoever wants to unmount that disk, and of each process that is started from here.
            if role == .daemon { chdir("/") }
        }
        facts.home = place("HOME")
        facts.temporary = place("TMPDIR")
        facts.locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { (variable: String) in
            guard let value = getenv(variable), value.pointee != 0 else { return nil }
            return (variable, String(cString: value))
        }.first
        facts.time = time(nil)
        return facts
    }

    /// Brings the soft limit to the hard one; nil when it is unlimited then.
    private static func raise(_ resource: __rlimit_resource) -> Int? {
        let resource = __rlimit_resource_t(resource.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        if limit.rlim_cur < limit.rlim_max {
            let soft = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        }
        return limit.rlim_cur == rlim_t.max ? nil : Int(clamping: limit.rlim_cur)
    }

    private static func takeSignals(_ role: Role) -> (ignored: [Int32], blocked: [Int32]) {
        // A person who starts a command by nohup, or in the background, wants SIGHUP and SIGINT ignored.
        let wanted = role == .daemon ? [SIGTERM, SIGINT, SIGHUP, SIGCHLD] : [SIGTERM, SIGCHLD]
        var blocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        var mine = sigset_t()
        sigemptyset(&mine)
        for number in wanted { sigaddset(&mine, number) }
        if role == .command { sigaddset(&mine, SIGINT) }
        pthread_sigmask(SIG_UNBLOCK, &mine, nil)
        let ignored = wanted.filter { number in
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0, isIgnore(action) else { return false }
            signal(number, SIG_DFL)
            return true
        }
        return (ignored, (wanted + (role == .command ? [SIGINT] : [])).filter { sigismember(&blocked, $0) == 1 })
    }

    private static func isIgnore(_ action: sigaction) -> Bool {
        // SIG_IGN is the address 1.
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    private static func narrowMask(_ role: Role) -> UInt32 {
        let before = umask(0o077)
        if role == .command { umask(before & 0o077) }
        return before
    }

    private static func place(_ variable: String) -> StartFacts.Place {
        guard let raw = getenv(variable) else { return .unset }
        let path = String(cString: raw)
        guard !path.isEmpty else { return .unset }
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFDIR else { return .missing(path) }
        return access(path, W_OK) == 0 ? .fine : .readOnly(path)
    }
}

extension InheritedLimit {
    fileprivate var resource: __rlimit_resource {
        switch self {
        case .fileSize: RLIMIT_FSIZE
        case .addressSpace: RLIMIT_AS
        case .data: RLIMIT_DATA
        case .stack: RLIMIT_STACK
        case .processorTime: RLIMIT_CPU
        }
    }
}
