import CReluxProcess
import Glibc
import Relux
import ReluxBus
import ReluxWire

/// Finds handlers that keep a thread: looks from outside, so that no handler pays for it.
///
/// Design notes. As long as a handler has been open for ``limit`` and waits for no dispatch, the process's threads are looked at. A thread is kept when
/// it has not waited and come back for all that time (its voluntary switches stand still) and a Swift job on its stack is in the code of a module that has
/// such a handler; an idle thread of the pool has none. Of several such handlers of that module it is taken to be the one that is open for longest. A
/// handler that waits again and again, each time for less than the limit, is not found.
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
    private struct Thread {
        var waits: UInt64
        var since: ContinuousClock.Instant
        /// The module that keeps it, and where it stood at the last look; nil until it was found to be kept.
        var kept: (module: ModuleID, frames: [Frame])?
        /// It was looked at while it waited, and no module keeps it; as long as it waits on, that stays so.
        var isIdle = false
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
        let present = Self.waits()
        threads = threads.filter { present[$0.key] == $0.value.waits }
        for (id, waits) in present where threads[id] == nil { threads[id] = Thread(waits: waits, since: now) }
        return threads.keys.sorted().compactMap { id in
            guard let thread = threads[id], !thread.isIdle, now - thread.since >= Self.limit else { return nil }
            let isBusy = Self.runs(id)
            // A thread that computes stands elsewhere by now, and a function without a frame hides its caller: each look is another sample.
            let sample = thread.kept == nil || isBusy ? Self.keeper(Self.stack(of: id), owner) : nil
            let named = sample.map { (module: $0.module, frames: $0.frames.prefix(Self.shownLimit).map(Self.named)) }
            guard let kept = named ?? thread.kept else {
                threads[id]?.isIdle = !isBusy
                return nil
            }
            threads[id]?.kept = kept
            guard let run = long.first(where: { $0.module == kept.module }) else { return nil }
            return BlockedHandler(
                module: run.module, effect: run.effect, milliseconds: UInt64(max(0, (now - thread.since) / .milliseconds(1))),
                isBusy: isBusy, frames: kept.frames.map { $0.name.cut(to: Self.nameLimit) })
        }
    }

    /// The module whose code a Swift job runs, with the frames inside of the job; nil for a thread that runs none, or none of a module.
    static func keeper(_ frames: [Frame], _ owner: (String) -> ModuleID?) -> (module: ModuleID, frames: [Frame])? {
        // Further inside the module's code may have called what lies in that library, too: a clock, a question whether its task is cancelled.
        for (index, frame) in frames.enumerated() {
            guard let module = owner(frame.library) else { continue }
            let end = frames[index...].firstIndex { $0.library.hasPrefix("libswift_Concurrency") }
            return end.map { (module, Array(frames[..<$0])) }
        }
        return nil
    }

    // MARK: Threads

    /// For every other thread, how often it has waited for something.
    private static func waits() -> [pid_t: UInt64] {
        guard let folder = opendir("/proc/self/task") else { return [:] }
        defer { closedir(folder) }
        var found: [pid_t: UInt64] = [:]
        let own = relux_thread_number()
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let id = pid_t(name), id != own, let status = read("/proc/self/task/\(id)/status"),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt_switches:") }),
                let count = line.split(whereSeparator: \.isWhitespace).last.flatMap({ UInt64($0) })
            else { continue }
            found[id] = count
        }
        return found
    }

    private static func runs(_ id: pid_t) -> Bool {
        // `pid (name) state …`; the name may have anything in it.
        guard let text = read("/proc/self/task/\(id)/stat"), let end = text.lastIndex(of: ")") else { return false }
        return text[end...].dropFirst(2).first == "R"
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
