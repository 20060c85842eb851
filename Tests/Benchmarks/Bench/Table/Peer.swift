import Glibc

/// A second process of this program, which ends when this one does.
struct Peer {
    private let pid: pid_t
    /// The child reads it; its end tells that this process has gone or has done.
    private let input: Int32

    static let lifeline: Int32 = 9

    /// - Throws: when no process can be started.
    init(program: String = "/proc/self/exe", _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchError("no pipe: \(String(cString: strerror(errno)))") }
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        // For a program that has no use for its standard input; its end is that one's too.
        posix_spawn_file_actions_adddup2(&actions, ends[0], Self.lifeline)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        var argv = (["relux-bench"] + arguments).map { strdup($0) } + [nil]
        defer { for text in argv { free(text) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, program, &actions, nil, &argv, environ)
        close(ends[0])
        guard failure == 0 else {
            close(ends[1])
            throw BenchError("no second process: \(String(cString: strerror(failure)))")
        }
        pid = child
        input = ends[1]
    }

    /// Lets the child end, and waits for it; once.
    /// - Throws: when it failed.
    func end() throws {
        close(input)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw BenchError("the second process ended with status \(status)") }
    }

    /// Stops the child where it stands, or lets it go on.
    func signal(_ number: Int32) { kill(pid, number) }

    /// In the child: returns when the parent wants it to end.
    static func untilParentEnds() {
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 || errno == EINTR {}
    }
}

/// A directory of this process alone, for sockets.
struct SocketDirectory: ~Copyable {
    let path: String

    init() throws {
        var template = Array("/tmp/relux-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError("no directory in /tmp: \(String(cString: strerror(errno)))") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A journal is a directory of files.
    private static func empty(_ directory: String) {
        guard let entries = opendir(directory) else { return }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink("\(directory)/\(name)")
        }
        closedir(entries)
        rmdir(directory)
    }

    deinit {
        for id in BusNode.sinks + [BusNode.source] {
            for end in ["ipc", "tap"] { unlink("\(path)/\(id).\(end)") }
            Self.empty("\(path)/\(id)")
        }
        for pipe in ["down", "up"] { unlink("\(path)/\(pipe)") }
        rmdir(path)
    }
}
