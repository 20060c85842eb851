import Glibc

/// Writes to a pipe without a reader, by a process that does not ignore SIGPIPE: its children would inherit that.
enum BrokenPipes {
    /// Calls the body, which writes; the signal of that write is taken back.
    static func silenced<Result>(_ body: () -> Result) -> Result {
        var (signals, before, waiting) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigpending(&waiting)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let result = body()
        // A signal that was pending before belongs to another write.
        if sigismember(&waiting, SIGPIPE) == 0 {
            var moment = timespec()
            while sigtimedwait(&signals, nil, &moment) < 0, errno == EINTR {}
        }
        return result
    }
}
