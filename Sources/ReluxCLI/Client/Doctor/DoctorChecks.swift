import Foundation
import ReluxControl
import ReluxPack
import ReluxPlugin
import ReluxRegistry
import ReluxTap
import ReluxWire

/// One line of `relux doctor`.
struct DoctorFinding: Sendable, Hashable {
    enum Verdict: String, Sendable { case ok, warn, fail }

    let verdict: Verdict
    let subject: String
    let text: String
    let remedy: String

    init(_ verdict: Verdict, _ subject: String, _ text: String, remedy: String = "") {
        self.verdict = verdict
        self.subject = subject
        self.text = text
        self.remedy = remedy
    }

    func line(_ style: TerminalStyle) -> String {
        let ink: TerminalStyle.Ink = verdict == .ok ? .green : verdict == .warn ? .yellow : .red
        let word = style(verdict.rawValue, ink) + String(repeating: " ", count: 4 - verdict.rawValue.count)
        return "\(word)  \(subject): \(TerminalText.escaped(text))" + (remedy.isEmpty ? "" : "; \(remedy)")
    }

    var json: JSONValue {
        .object([
            .init("verdict", .string(verdict.rawValue)), .init("subject", .string(subject)),
            .init("text", .string(text)), .init("remedy", .string(remedy)),
        ])
    }
}

/// The checks of `relux doctor`.
enum DoctorChecks {
    // MARK: Installation

    static func installation(_ console: Console) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let isInstalled = FileManager.default.fileExists(atPath: "\(console.executableDirectory)/installation.json")
        for name in ["relux-supervisor", "relux-broker", "relux-host"] {
            let path = "\(console.executableDirectory)/\(name)"
            let isThere = FileManager.default.isExecutableFile(atPath: path)
            findings.append(
                isThere
                    ? .init(.ok, name, path)
                    : .init(
                        .fail, name, FileManager.default.fileExists(atPath: path) ? "\(path) is not executable" : "\(path) is missing",
                        remedy: isInstalled ? Installation.remedy : "swift build --product \(name)"))
        }
        findings += installed(console)
        for (library, package) in [("libzmq.so.5", "libzmq5"), ("libsodium.so.23", "libsodium23")] {
            let path = loadedPath(of: library)
            findings.append(
                path.map { .init(.ok, library, $0) }
                    ?? .init(.warn, library, "this process has not loaded it", remedy: "apt-get install \(package)"))
        }
        // This process has no use for it, but no host starts without it. It may lie where only the loader's configuration knows of it.
        let allocator = "libjemalloc.so.2"
        findings.append(
            installedPath(of: allocator).map { .init(.ok, allocator, $0) }
                ?? .init(.warn, allocator, "not found in the system's library folders, and relux-host needs it", remedy: "apt-get install libjemalloc2"))
        findings.append(.init(.ok, "runtime", reluxRuntimeGuard))
        return findings
    }

    /// That every file is as it was installed: a version that is half another's fails in words of the loader's.
    private static func installed(_ console: Console) -> [DoctorFinding] {
        do throws(CLIError) {
            guard let installation = try console.installation else { return [] }
            let faults = installation.faults(isThorough: true)
            guard faults.isEmpty else { return faults.map { .init(.fail, "installation", $0, remedy: Installation.remedy) } }
            return [.init(.ok, "installation", "\(installation.version) in \(installation.folder)")]
        } catch {
            return [.init(.fail, "installation", error.message, remedy: error.hint)]
        }
    }

    private static func installedPath(of library: String) -> String? {
        let folders = ["/lib", "/usr/lib", "/usr/local/lib"]
        let below = folders.flatMap { folder in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" } }
        return (folders + below).lazy.map { "\($0)/\(library)" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func loadedPath(of library: String) -> String? {
        // The kernel says that its size is 0, so that it must be read to the end.
        guard let handle = FileHandle(forReadingAtPath: "/proc/self/maps") else { return nil }
        let maps = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
        for line in maps.split(separator: "\n") {
            guard let slash = line.firstIndex(of: "/") else { continue }
            let path = line[slash...]
            // `libzmq.so.5.2.4` is loaded under its own name, `libzmq.so.5` is the link.
            if path.split(separator: "/").last?.hasPrefix(library) == true { return String(path) }
        }
        return nil
    }

    // MARK: Run directory

    static func directory(_ run: RunDirectory) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        for path in [run.path] + run.parts {
            var found = stat()
            guard lstat(path, &found) == 0 else {
                findings.append(.init(.warn, "directory", "\(path) does not exist yet", remedy: "relux up makes it"))
                continue
            }
            if found.st_mode & S_IFMT != S_IFDIR {
                findings.append(.init(.fail, "directory", "\(path) is no directory", remedy: "move it away: the cluster makes the directory anew"))
            } else if found.st_uid != geteuid() {
                findings.append(
                    .init(.fail, "directory", "\(path) belongs to user \(found.st_uid)", remedy: "choose another --run"))
            } else if access(path, W_OK | X_OK) != 0 {
                let why = String(cString: strerror(errno))
                findings.append(
                    .init(.fail, "directory", "\(path) cannot be written: \(why)", remedy: "let this user write there (ls -ld, findmnt -T \(path))"))
            } else if found.st_mode & 0o077 != 0 {
                findings.append(.init(.fail, "directory", "\(path) is open to others", remedy: "chmod 700 \(path)"))
            } else {
                findings.append(.init(.ok, "directory", path))
            }
        }
        if let hindrance = run.brokerTroubleHindrance { findings.append(.init(.fail, "directory", hindrance, remedy: "move it away")) }
        func names(in folder: String) -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { "\(folder)/\($0)" } }
        for path in ([run.path, run.logs, run.crashes, run.journals] + names(in: run.journals)).flatMap(names) where path.contains(".replaced-") {
            findings.append(.init(.warn, "directory", "\(path) lay in the place of a file and was set aside", remedy: "delete it when nobody misses it"))
        }
        if let trouble = ClusterKey(run).trouble { findings.append(.init(.fail, "key", trouble)) }
        do throws(RegistryFileError) {
            _ = try RegistryFile(path: run.registry).read()
        } catch {
            findings.append(.init(.fail, "registry", "\(error)"))
        }
        return findings
    }

    // MARK: Plugins

    /// The current and the configured versions must be built for this runtime, or every host refuses them.
    static func packed(_ packed: String, active: [String]) -> [DoctorFinding] {
        let modules = ((try? FileManager.default.contentsOfDirectory(atPath: packed)) ?? []).sorted()
        let directories = Set(modules.map { "\(packed)/\($0)/current" } + active).sorted()
        var seen: Set<String> = []
        return directories.compactMap { directory in
            // A directory that `current` names may be named by its version too.
            guard seen.insert(URL(fileURLWithPath: directory).resolvingSymlinksInPath().path).inserted else { return nil }
            let file = "\(directory)/\(PluginManifest.fileName)"
            guard let data = PlainFile.contents(file) else {
                if let why = FileReason.unread(file) {
                    return .init(.fail, "plugin", "\(file) cannot be read: \(why)", remedy: "mend that, or relux module pack --all")
                }
                guard active.contains(directory) else { return nil }
                return .init(.fail, "plugin", "\(directory) is not packed", remedy: "relux module pack --configured")
            }
            guard let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)) else {
                return .init(.fail, "plugin", "\(file) cannot be read", remedy: "relux module pack --all")
            }
            let name = "\(manifest.module.id) \(manifest.module.version)"
            if let misplaced = MisplacedPlugin.fault(of: directory, in: packed) { return .init(.fail, "plugin", misplaced, remedy: MisplacedPlugin.remedy) }
            if let fault = DamagedPlugin.fault(of: directory, manifest) {
                return .init(.fail, "plugin", "\(directory): \(fault)", remedy: DamagedPlugin.remedy)
            }
            guard manifest.runtimeGuard == reluxRuntimeGuard else {
                return .init(
                    .fail, "plugin", "\(name) was built for runtime \(manifest.runtimeGuard), this is \(reluxRuntimeGuard)",
                    remedy: "build and pack it again, then relux up --packed")
            }
            return .init(.ok, "plugin", name)
        }
    }

    // MARK: Cluster

    /// The most frequent places where something was dispatched that nobody got.
    private static func refusals(_ subject: String, _ refusals: [RefusalCount]) -> [DoctorFinding] {
        refusals.prefix(shownRefusals).map { refusal in
            let place = refusal.site.isEmpty ? "" : " at \(refusal.site)"
            let effect = refusal.effect.isEmpty ? "other effects" : refusal.effect
            return .init(
                .warn, subject, "\(effect) was refused \(refusal.count.counted("time")) (\(refusal.reason))\(place): \(refusal.message)",
                remedy: subject == "ingress" ? "relux tap shows them as they come" : "relux module show \(subject)")
        }
    }

    /// Also what has ended and waits to be reaped.
    private static func isGone(_ pid: Int32) -> Bool { pid > 0 && ProcessFiles.facts(of: pid) == nil }

    private static let shownRefusals = 5

    private static func text(of state: ModuleState) -> String { state.phase.rawValue + (state.why.isEmpty ? "" : ": \(state.why)") }

    static func cluster(_ status: ClusterStatus) -> [DoctorFinding] {
        var findings = [DoctorFinding(.ok, "broker", "pid \(status.brokerPid), phase \(status.phase.rawValue)")]
        if status.brokerDeaths > 0 {
            findings.append(
                .init(
                    .warn, "broker", "\(status.brokerDeaths == 1 ? "one broker has" : "\(status.brokerDeaths) brokers have") died since the supervisor started",
                    remedy: "relux logs broker; crash reports lie in the run directory's crashes"))
        }
        if status.supervisorPid == 0 {
            findings.append(
                .init(.warn, "supervisor", "none is connected: dead hosts stay dead", remedy: "relux down, then relux up"))
        }
        for module in status.modules {
            switch module.state.phase {
            case .ready where isGone(module.pid):
                findings.append(
                    .init(
                        .fail, "\(module.id)", "it is ready, but its process \(module.pid) is gone",
                        remedy: "relux logs \(module.id)"))
            case .ready: findings.append(.init(.ok, "\(module.id)", "ready, pid \(module.pid)"))
            case .refused, .quarantined:
                findings.append(
                    .init(
                        .fail, "\(module.id)", text(of: module.state),
                        remedy: "relux module why-not \(module.id)"))
            default:
                findings.append(
                    .init(
                        .warn, "\(module.id)", text(of: module.state),
                        remedy: "relux module why-not \(module.id)"))
            }
            findings += refusals("\(module.id)", module.counters.refusals ?? [])
            if module.counters.lost > 0 {
                findings.append(.init(.warn, "\(module.id)", "\(module.counters.lost.counted("effect was", "effects were")) lost"))
            }
        }
        findings += refusals("ingress", status.refusedAtIngress ?? [])
        for barrier in status.barriers where !barrier.isOpen {
            findings.append(
                .init(
                    barrier.isStuck ? .fail : .warn, "start", "the barrier of \(barrier.module) is closed: \(barrier.text)",
                    remedy: "relux module why-not \(barrier.module)"))
        }
        for barrier in status.barriers {
            if let mode = StatusOutput.mode(barrier) { findings.append(.init(.warn, "\(barrier.module)", mode.text, remedy: mode.remedy)) }
        }
        // A note about a disk is a failure: something stands still until that disk can write.
        return findings
            + status.notes.map { $0.kind == .disk ? .init(.fail, "disk", $0.text) : .init(.warn, "note", $0.description) }
    }
}
