/// The word of `/proc` on a process at one moment, and the verdict that follows from it. Pure.
///
/// A process that executes a program has its new memory before the kernel has written down where in it the environment lies, and `environ`
/// reads as empty then, as it does when the memory that was opened has been given up since. Measured: one look in eleven at a process that
/// does nothing else; in a third of these `cmdline` was there already, hence it says nothing.
///
/// Source: Linux, `environ_read` and `do_task_stat` in `fs/proc`, `begin_new_exec` in `fs/exec.c`, `load_elf_binary` and
/// `create_elf_tables` in `fs/binfmt_elf.c`; proc_pid_stat(5).
struct ProcessReading: Sendable {
    enum Verdict: Sendable, Hashable {
        case tagged, untagged
        /// It is no more; it may have had children shortly before.
        case ended
        /// It does not say at the moment.
        case doubtful
    }

    enum Status: Sendable, Hashable {
        case text(String)
        case gone
        case unread
    }

    /// `environ`, of one read: whole or empty.
    let environment: [UInt8]
    /// `stat`, read after it; only needed when that is empty.
    let status: Status

    /// - Parameter tag: `NAME=VALUE`.
    func verdict(_ tag: [UInt8]) -> Verdict {
        guard environment.isEmpty else { return environment.split(separator: 0).contains { $0.elementsEqual(tag) } ? .tagged : .untagged }
        switch status {
        case .gone: return .ended
        case .unread: return .doubtful
        case .text(let text): return StatusFields(text)?.verdict ?? .doubtful
        }
    }
}

/// The fields of a `stat` that tell why there is no environment.
private struct StatusFields {
    private let flags: UInt
    private let threads: UInt
    private let codeEnd: UInt
    private let environment: (start: UInt, end: UInt)

    /// - Returns: nil for what is not of this form.
    init?(_ text: String) {
        // The name in brackets may hold anything, blanks and brackets too.
        guard let nameEnd = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: nameEnd)...].split { $0 == " " || $0 == "\n" }
        // As the manual counts them: the state, which is the first one here, is the third.
        func field(_ number: Int) -> UInt? { fields.indices.contains(number - 3) ? UInt(fields[number - 3]) : nil }
        guard let flags = field(9), let threads = field(20), let codeEnd = field(27), let start = field(50), let end = field(51) else { return nil }
        (self.flags, self.threads, self.codeEnd, environment) = (flags, threads, codeEnd, (start, end))
    }

    var verdict: ProcessReading.Verdict {
        let (isExiting, isOfKernel): (UInt, UInt) = (0x4, 0x20_0000)
        if flags & isOfKernel != 0 { return .untagged }
        // With other threads, one of them goes on, and may be about to take its place; with none, one has just done so, or it is gone.
        if flags & isExiting != 0, threads == 1 { return .ended }
        // The end of the code is written down after the place of the environment. It is 1, and the place 0, when we may not know.
        return codeEnd != 0 && environment.start == environment.end ? .untagged : .doubtful
    }
}
