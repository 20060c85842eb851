internal import CReluxProcess
import Foundation
import Glibc
import ReluxControl
import ReluxWire

/// A child to start: its executable's path, its arguments without the first, its whole environment, its log.
package struct ChildSpec: Sendable, Equatable {
    package var executable: String
    package var arguments: [String]
    package var environment: [String: String]
    package var log: String
    /// Nil: none.
    package var memory: MemoryLimits.Limit?
    package init(
        executable: String, arguments: [String], environment: [String: String], log: String, memory: MemoryLimits.Limit? = nil
    ) {
        self.memory = memory
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.log = log
    }
}

/// The supervisor's children: starts them, waits for their ends, reaps them.
///
/// Each child leads a process group of its own and holds the reading end of one lifeline pipe as descriptor 3, whose
/// only writing end is this value's: if the supervisor dies, even by SIGKILL, every child reads end of file. Ends
/// are seen through pidfds in one `poll`, without a SIGCHLD handler; a child for which no pidfd can be had gets a
/// thread that waits for it. Owned by the supervisor's thread; only `wake` may be called from elsewhere.
package struct ChildProcesses: ~Copyable {
    package struct End: Sendable, Equatable {
        package let pid: Int32
        package let status: ChildStatus
        /// The most memory that it held at a time, in bytes; 0 when that cannot be told, because this process held as much when it started the child.
        package var peak = 0
    }

    private struct Child {
        /// Its pidfd, or -1: a thread of its own waits for it and wakes the poll.
        var descriptor: Int32
        /// Linux counts towards a child's peak what its parent held when it was started, in bytes.
        var inheritedPeak = 0
    }

    private let lifeline: ChildPipe
    private let wakeUp: WakePipe
    private let usesDescriptors: Bool
    private var children: [Int32: Child]

    /// - Parameter usesDescriptors: false waits for each child in a thread, as where pidfds are not to be had.
    /// - Throws: the errno of a pipe that could not be made.
    package init(usesDescriptors: Bool = true) throws(SpawnError) {
        // Whoever has started us may have ignored it, and that is inherited: the kernel would reap our children, and nobody hear of their ends.
        Glibc.signal(SIGCHLD, SIG_DFL)
        let (pipe, wake) = (try ChildPipe(), try WakePipe())
        lifeline = pipe
        wakeUp = wake
        children = [:]
        self.usesDescriptors = usesDescriptors
    }

    deinit {
        for child in children.values where child.descriptor >= 0 { close(child.descriptor) }
    }

    /// Ends a `wait` early; may be kept and called from any thread.
    package var wake: @Sendable () -> Void {
        let pipe = wakeUp
        return { pipe.signal() }
    }

    package var pids: [Int32] { children.keys.sorted() }

    /// Starts a child. It is running when this returns.
    ///
    /// - Throws: the errno and the path of what could not be started, or of its log.
    package mutating func spawn(_ spec: ChildSpec) throws(SpawnError) -> Int32 {
        let output = try HostLog.open(spec.log)
        defer { close(output) }
        var environment = spec.environment
        environment["RELUX_LIFELINE_FD"] = "3"
        var pid: pid_t = 0
        let failure = Self.withCStrings([spec.executable] + spec.arguments) { arguments in
            Self.withCStrings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) { variables in
                relux_process_spawn(spec.executable, arguments, variables, output, lifeline.readEnd, &pid)
            }
        }
        guard failure == 0 else { throw SpawnError(executable: spec.executable, errno: failure) }
        if let memory = spec.memory, memory.bytes > 0 {
            let refusal = relux_process_limit(pid, Int32(RLIMIT_DATA.rawValue), UInt(memory.bytes))
            // A process that has ended needs none.
            if refusal != 0, refusal != ESRCH {
                children[pid] = Child(descriptor: -1)
                signal(pid, SIGKILL)
                waitInThread(for: pid)
                throw SpawnError(executable: "\(spec.executable) with \(memory.name)", errno: refusal)
            }
        }
        let descriptor = usesDescriptors ? relux_process_descriptor(pid) : -1
        children[pid] = Child(descriptor: descriptor, inheritedPeak: Self.ownPeak)
        if descriptor < 0 { waitInThread(for: pid) }
        return pid
    }

    /// Sends a signal to the child's whole group; a group that has ended already is no error.
    package func signal(_ pid: Int32, _ signal: Int32) {
        // Not yet reaped, so the number cannot belong to anybody else.
        guard children[pid] != nil else { return }
        if kill(-pid, signal) != 0 { kill(pid, signal) }
    }

    /// Waits until a child ends, `wake` is called or `limit` is over (nil: no limit), and reaps what has ended.
    package mutating func wait(limit: Duration?) -> [End] {
        let order = children.filter { $0.value.descriptor >= 0 }.map { (pid: $0.key, descriptor: $0.value.descriptor) }
        var entries = order.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        entries.append(pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
        // Rounded up, or a deadline less than a millisecond away would be polled for in a loop.
        let milliseconds = limit.map { Int32(clamping: max(0, DurationText.milliseconds($0) + 1)) } ?? -1
        poll(&entries, nfds_t(entries.count), milliseconds)
        wakeUp.drain()
        var ends: [End] = []
        for (pid, child) in children.sorted(by: { $0.key < $1.key }) {
            guard let (status, peak) = reap(pid) else { continue }
            if child.descriptor >= 0 { close(child.descriptor) }
            children[pid] = nil
            ends.append(End(pid: pid, status: status, peak: peak > child.inheritedPeak ? peak : 0))
        }
        return ends
    }

    /// The status of a child that has ended, which is gone then, and with it what is left of its group.
    private func reap(_ pid: Int32) -> (ChildStatus, peak: Int)? {
        var info = siginfo_t()
        guard waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0, info.si_signo == SIGCHLD else {
            return nil
        }
        // While its leader is a zombie the group's number cannot be used again: now is the time to end its rest.
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(pid, &status, 0, &usage) == pid else { return nil }
        let signal = status & 0x7f
        // In KiB.
        return (signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal), Int(usage.ru_maxrss) << 10)
    }

    /// The most memory that this process has held since its program began, in bytes; what its own parent held is not counted.
    private static var ownPeak: Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            if words.count > 1, words[0] == "VmHWM:", let kibibytes = Int(words[1]) { return kibibytes << 10 }
        }
        return 0
    }

    private func waitInThread(for pid: Int32) {
        let wake = wake
        Thread {
            var info = siginfo_t()
            while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            wake()
        }.start()
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// A child that could not be started.
package struct SpawnError: Error, Sendable, Equatable, CustomStringConvertible {
    package let executable: String
    package let errno: Int32
    package init(executable: String, errno: Int32) {
        self.executable = executable
        self.errno = errno
    }
    package var description: String { "cannot start or open \(executable): \(String(cString: strerror(errno)))" }
}
