import CReluxProcess
import Glibc
import Relux
import ReluxControl
import ReluxWire

/// Finds handlers that keep a thread: looks from outside, so that no handler pays for it.
///
/// Design notes. As long as a handler has been open for ``limit`` and waits for no dispatch, the process's threads are looked at. A thread is kept when
/// a Swift job on its stack is in the code of a module that has such a handler, and for all that time it has not waited and come back (its voluntary
/// switches stand still), or stands in the same call of that code at each look: what waits there may wake now and then, as a run loop does. An idle thread
/// of the pool has no such job. If the module has several such handlers, it is taken to be the one that is open for longest. A handler that waits again and
/// again, each time for less than the limit and elsewhere, is not found.
struct BlockedThreads {
    static let limit = Duration.seconds(1)
    private static let frameLimit = 128
    private static let shownLimit = 12
    private static let nameLimit = 200

    struct Frame: Hashable {
        /// The library's file, without folders.
        var library: String
        var name = ""
        var address: UInt = 0
    }
    /// Where a module's code stands in a Swift job.
    struct Kept: Equatable {
        var module: ModuleID
        /// Inside of the job, the innermost first.
        var frames: [Frame]
        /// How many of them lie inside of the module's code.
        var inner: Int

        /// The module's call, whatever goes on inside of it.
        func isSameCall(as other: Self) -> Bool { module == other.module && frames[inner...].map(\.address) == other.frames[other.inner...].map(\.address) }
    }
    private struct Activity {
        /// How often it has waited for something.
        var waits: UInt64
        var isBusy: Bool
    }
    private struct Thread {
        var activity: Activity
        var since: ContinuousClock.Instant
        /// The module that keeps it, as of the last look; nil while none was found.
        var kept: Kept?
    }

    private var openSince: [Relux.Exchange.OpenRun: ContinuousClock.Instant] = [:]
    private var threads: [pid_t: Thread] = [:]

    /// The handlers that keep a thread now; called a few times a second.
    ///
    /// - Parameters:
    ///   - open: handlers that have not ended.
    ///   - owner: the module to which a library belongs, by its file's name.
    mutating func look(
        _ open: [Relux.Exchange.OpenRun], now: ContinuousClock.Instant = .now, owner: (String) -> ModuleID?
    ) -> [BlockedHandler] {
        openSince = Dictionary(open.map { ($0, openSince[$0] ?? now) }, uniquingKeysWith: { first, _ in first })
        let long = open.filter { openSince[$0].map { now - $0 >= Self.limit } ?? false }
        guard !long.isEmpty else {
            threads = [:]
            return []
        }
        let present = Self.activities()
        threads = threads.filter { present[$0.key] != nil }
        for (id, activity) in present { threads[id] = Self.looked(at: id, activity, threads[id], now, owner) }
        return threads.keys.sorted().compactMap { id in
            guard let thread = threads[id], var kept = thread.kept, now - thread.since >= Self.limit,
                let run = long.first(where: { $0.module == kept.module })
            else { return nil }
            if kept.frames.first?.name.isEmpty == true { kept.frames = kept.frames.enumerated().map { $0 < Self.shownLimit ? Self.named($1) : $1 } }
            threads[id]?.kept = kept
            return BlockedHandler(
                module: run.module, effect: run.effect, milliseconds: UInt64(max(0, (now - thread.since) / .milliseconds(1))),
                isBusy: thread.activity.isBusy, frames: kept.frames.prefix(Self.shownLimit).map { $0.name.cut(to: Self.nameLimit) })
        }
    }

    private static func looked(
        at id: pid_t, _ activity: Activity, _ earlier: Thread?, _ now: ContinuousClock.Instant, _ owner: (String) -> ModuleID?
    ) -> Thread {
        let fresh = Thread(activity: activity, since: now)
        guard var thread = earlier else { return activity.isBusy ? fresh : kept(id, fresh, owner) }
        let hasWaited = thread.activity.waits != activity.waits
        if activity.isBusy {
            // A thread of the pool that was idle has begun something.
            guard !hasWaited, thread.activity.isBusy || thread.kept != nil else { return fresh }
            thread.activity = activity
            // A thread that computes stands elsewhere by now, and a function without a frame hides its caller: each look is another sample.
            return now - thread.since >= limit ? kept(id, thread, owner) : thread
        }
        // As long as it waits on it stands where it stood.
        guard hasWaited || thread.activity.isBusy else { return thread }
        let looked = kept(id, fresh, owner)
        guard let before = thread.kept, let after = looked.kept, after.isSameCall(as: before) else { return looked }
        thread.activity = activity
        return thread
    }

    /// The thread as its stack shows it now; what was found before stays where nothing is found.
    private static func kept(_ id: pid_t, _ thread: Thread, _ owner: (String) -> ModuleID?) -> Thread {
        var thread = thread
        thread.kept = keeper(stack(of: id), owner) ?? thread.kept
        return thread
    }

    /// The module whose code a Swift job runs, with the frames inside of the job; nil for a thread that runs none, or none of a module.
    static func keeper(_ frames: [Frame], _ owner: (String) -> ModuleID?) -> Kept? {
        // Further inside the module's code may have called what lies in that library, too: a clock, a question whether its task is cancelled.
        for (index, frame) in frames.enumerated() {
            guard let module = owner(frame.library) else { continue }
            let end = frames[index...].firstIndex { $0.library.hasPrefix("libswift_Concurrency") }
            return end.map { Kept(module: module, frames: Array(frames[..<$0]), inner: index) }
        }
        return nil
    }

    // MARK: Threads

    /// Every other thread's.
    private static func activities() -> [pid_t: Activity] {
        guard let folder = opendir("/proc/self/task") else { return [:] }
        defer { closedir(folder) }
        var found: [pid_t: Activity] = [:]
        let own = relux_thread_number()
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let id = pid_t(name), id != own, let status = read("/proc/self/task/\(id)/status") else { continue }
            func value(_ key: String) -> Substring? {
                status.split(separator: "\n").first { $0.hasPrefix(key) }?.dropFirst(key.utf8.count).split(whereSeparator: \.isWhitespace).first
            }
            guard let waits = value("voluntary_ctxt_switches:").flatMap({ UInt64($0) }) else { continue }
            found[id] = Activity(waits: waits, isBusy: value("State:") == "R")
        }
        return found
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    // MARK: Stacks

    /// Without names, which take time.
    private static func stack(of id: pid_t) -> [Frame] {
        var addresses = [UInt](repeating: 0, count: frameLimit)
        let count = Int(relux_thread_stack(id, &addresses, Int32(frameLimit)))
        return addresses.prefix(count).enumerated().compactMap { index, address in
            // A call may be the last thing that a function does: what it returns to is another one then.
            let call = index == 0 ? address : address - 1
            guard let file = relux_code_library(call, nil, 0) else { return nil }
            return Frame(library: String(cString: file).split(separator: "/").last.map(String.init) ?? "", address: call)
        }
    }

    private static func named(_ frame: Frame) -> Frame {
        var name = [CChar](repeating: 0, count: 4096)
        guard relux_code_library(frame.address, &name, name.count) != nil else { return frame }
        let function = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var frame = frame
        frame.name = function.isEmpty ? frame.library : demangled(function)
        return frame
    }

    private static func demangled(_ name: String) -> String {
        guard let text = swift_demangle(name, name.utf8.count, nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}
