package import ReluxJournal
import Synchronization

/// A disk in memory that fails when it is told to, tears writes and forgets what was never synced.
///
/// Design notes. A file has what programs see and what would be there after a loss of power; `sync` makes the two equal. Names behave alike: a
/// directory's names survive once it was synced, and of names that were taken away since then the first. What a failed sync did not bring to the disk
/// counts as there from then on, as Linux does it: only writing it again helps. Thread-safe.
package final class MemoryDisk: FileSystem {
    /// A fault that replaces the usual outcome of a call.
    package enum Fault: Sendable {
        /// Fails with this number of `errno`.
        case fail(Int32)
        /// A write: this number of bytes arrives, the call says so.
        case short(Int)
        /// A write: this number of bytes arrives, then it fails.
        case tear(Int, Int32)
        /// A write: this number of bytes arrives, then the process is gone: every later call fails.
        case kill(Int)
    }

    struct State {
        var names: [String: Node] = [:]
        var durableNames: [String: Node] = [:]
        /// Names that were taken away and may be there after a loss of power, in order.
        var removals: [String] = []
        var directories: Set<String> = ["/"]
        var open: [Int32: Node] = [:]
        var nextHandle: Int32 = 3
        var nextIdentity: UInt64 = 1
        var clock: Int64 = 0
        var calls = 0
        var byCall: [String: Int] = [:]
        /// By the number of the call among all that change something, from 1.
        var faults: [Int: Fault] = [:]
        /// By the kind of call: the next of that kind.
        var nextFaults: [SystemError.Call: [Fault]] = [:]
        var isDead = false
        /// The bytes that the next reads do not see yet: how many reads, and where.
        var unseen: (reads: Int, bytes: Range<Int>) = (0, 0..<0)
        /// Bytes that may still be reserved; nil for any number.
        var room: Int?
    }

    // The nodes are touched under the mutex only.
    private struct Box: @unchecked Sendable { var state: State }
    private let mutex = Mutex(Box(state: State()))

    package init() {}

    private func with<R: Sendable>(_ body: (inout State) throws(SystemError) -> R) throws(SystemError) -> R {
        try mutex.withLock { (box) throws(SystemError) in
            if box.state.isDead { throw SystemError(.stat, 5) }
            return try body(&box.state)
        }
    }

    // MARK: What a test does

    /// The next call of that kind does this instead.
    package func fail(next call: SystemError.Call, _ faults: Fault...) { mutex.withLock { $0.state.nextFaults[call, default: []] += faults } }
    /// The n-th changing call from now on does this instead.
    package func fail(at call: Int, _ fault: Fault) { mutex.withLock { $0.state.faults[$0.state.calls + call] = fault } }
    /// A call has killed the process, and ``killProcess()`` has not been called since.
    package var isDead: Bool { mutex.withLock { $0.state.isDead } }
    /// Changing calls so far.
    package var changes: Int { mutex.withLock { $0.state.calls } }
    package func count(of call: SystemError.Call) -> Int { mutex.withLock { $0.state.byCall[call.rawValue] ?? 0 } }
    /// The next reads see zeros in a range of their file: a write by another process that has arrived behind it, and not yet there.
    package func hide(_ bytes: Range<Int>, fromReads count: Int) { mutex.withLock { $0.state.unseen = (count, bytes) } }
    package func setRoom(_ bytes: Int?) { mutex.withLock { $0.state.room = bytes } }

    /// Locks and handles of a process that died are gone; what it wrote stays.
    package func killProcess() {
        mutex.withLock { box in
            box.state.isDead = false
            box.state.faults = [:]
            box.state.nextFaults = [:]
            for node in box.state.open.values { node.lockedBy = nil }
            box.state.open = [:]
        }
    }

    /// The power goes: `keeps` decides for each 512-byte sector that was not synced, and for each name, whether it came through.
    package func losePower(keeps: () -> Bool = { false }) {
        killProcess()
        mutex.withLock { box in
            let removals = box.state.removals.filter { box.state.names[$0] == nil }
            for path in removals.drop(while: { _ in keeps() }) { box.state.names[path] = box.state.durableNames[path] }
            for path in Set(box.state.names.keys).union(box.state.durableNames.keys).subtracting(removals).sorted() {
                let (now, then) = (box.state.names[path], box.state.durableNames[path])
                if now !== then, !keeps() { box.state.names[path] = then }
            }
            box.state.durableNames = box.state.names
            box.state.removals = []
            for (_, node) in box.state.names.sorted(by: { $0.key < $1.key }) {
                let length = node.bytes.count == node.durable.count || keeps() ? node.bytes.count : node.durable.count
                var bytes = node.durable
                if bytes.count > length { bytes.removeLast(bytes.count - length) }
                bytes += repeatElement(0, count: length - bytes.count)
                let now = node.bytes.prefix(length) + repeatElement(0, count: max(0, length - node.bytes.count))
                for start in stride(from: 0, to: length, by: 512) {
                    let end = min(start + 512, length)
                    if bytes[start..<end] != now[start..<end], keeps() { bytes.replaceSubrange(start..<end, with: now[start..<end]) }
                }
                node.bytes = bytes
                node.durable = bytes
            }
        }
    }

    /// The disk as it would be if the power went at this moment; this one goes on.
    package func survivors(keeps: () -> Bool = { false }) -> MemoryDisk {
        let other = MemoryDisk()
        let (now, durable, directories, removals) = mutex.withLock { box in
            (
                box.state.names.mapValues { ($0.bytes, $0.durable, $0.identity) },
                box.state.durableNames.mapValues { ($0.bytes, $0.durable, $0.identity) }, box.state.directories,
                box.state.removals
            )
        }
        other.mutex.withLock { box in
            box.state.directories = directories
            box.state.removals = removals
            var nodes: [UInt64: Node] = [:]
            func node(_ content: ([UInt8], [UInt8], UInt64)) -> Node {
                if let known = nodes[content.2] { return known }
                let node = Node(content.2)
                (node.bytes, node.durable) = (content.0, content.1)
                nodes[content.2] = node
                return node
            }
            for (path, content) in now { box.state.names[path] = node(content) }
            for (path, content) in durable { box.state.durableNames[path] = node(content) }
            box.state.nextIdentity = (nodes.keys.max() ?? 0) + 1
        }
        other.losePower(keeps: keeps)
        return other
    }

    /// The bytes that certainly come through a loss of power; nil when not even the name does.
    package func durableBytes(_ path: String) -> [UInt8]? { mutex.withLock { $0.state.durableNames[path]?.durable } }

    package func bytes(_ path: String) -> [UInt8]? { mutex.withLock { $0.state.names[path]?.bytes } }

    package func set(_ path: String, _ bytes: [UInt8]?) {
        mutex.withLock { box in
            guard let bytes else {
                box.state.names[path]?.links -= 1
                box.state.names[path] = nil
                return
            }
            if box.state.names[path] == nil { box.state.makeNode(path) }
            box.state.clock += 1
            box.state.names[path]?.bytes = bytes
            box.state.names[path]?.modified = box.state.clock
        }
    }

    package var paths: [String] { mutex.withLock { $0.state.names.keys.sorted() } }

    /// Another disk with the same content, all of it synced, nothing open.
    package func copy() -> MemoryDisk {
        let other = MemoryDisk()
        let (files, directories) = mutex.withLock { box in (box.state.names.mapValues(\.bytes), box.state.directories) }
        other.mutex.withLock { box in
            box.state.directories = directories
            for (path, bytes) in files {
                box.state.makeNode(path)
                box.state.names[path]?.bytes = bytes
                box.state.names[path]?.durable = bytes
            }
            box.state.durableNames = box.state.names
        }
        return other
    }

    // MARK: FileSystem

    package func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileHandle {
        try with { (state) throws(SystemError) in
            if state.names[path] == nil {
                guard mode == .create, state.directories.contains(Self.parent(path)) else { throw SystemError(.open, 2) }
                try state.step(.open)
                state.makeNode(path)
            } else {
                try state.fault(.open)
            }
            defer { state.nextHandle += 1 }
            state.open[state.nextHandle] = state.names[path]
            return FileHandle(rawValue: state.nextHandle)
        }
    }

    package func close(_ file: FileHandle) {
        mutex.withLock { box in
            let node = box.state.open.removeValue(forKey: file.rawValue)
            if node?.lockedBy == file.rawValue { node?.lockedBy = nil }
        }
    }

    package func read(_ file: FileHandle, at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        try with { (state) throws(SystemError) in
            try state.fault(.read)
            let bytes = try state.node(file, .read).bytes
            var seen = Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
            if state.unseen.reads > 0 {
                state.unseen.reads -= 1
                for index in state.unseen.bytes.clamped(to: offset..<(offset + seen.count)) { seen[index - offset] = 0 }
            }
            return seen
        }
    }

    package func write(_ file: FileHandle, at offset: Int, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        try with { (state) throws(SystemError) in
            let fault = state.take(.write)
            let node = try state.node(file, .write)
            var count = bytes.count
            switch fault {
            case nil: break
            case .fail(let number): throw SystemError(.write, number)
            case .short(let limit): count = max(1, min(limit, count))
            case .tear(let limit, _), .kill(let limit): count = min(limit, count)
            }
            if node.bytes.count < offset + count { node.bytes += repeatElement(0, count: offset + count - node.bytes.count) }
            node.bytes.replaceSubrange(offset..<(offset + count), with: bytes.prefix(count))
            if !node.forgotten.isEmpty, count > 0 { node.forgotten.subtract(offset / Node.sector...(offset + count - 1) / Node.sector) }
            node.modified = state.clock
            if case .tear(_, let number)? = fault { throw SystemError(.write, number) }
            if case .kill? = fault {
                state.isDead = true
                throw SystemError(.write, 5)
            }
            return count
        }
    }

    package func allocate(_ file: FileHandle, byteCount: Int) throws(SystemError) {
        try with { (state) throws(SystemError) in
            try state.step(.allocate)
            let node = try state.node(file, .allocate)
            let more = max(0, byteCount - node.bytes.count)
            if let room = state.room {
                guard more <= room else { throw SystemError(.allocate, 28) }
                state.room = room - more
            }
            node.bytes += repeatElement(0, count: more)
        }
    }

    package func room(at path: String) throws(SystemError) -> Int { try with { state in state.room ?? .max } }

    package func truncate(_ file: FileHandle, byteCount: Int) throws(SystemError) {
        try with { (state) throws(SystemError) in
            try state.step(.truncate)
            let node = try state.node(file, .truncate)
            if node.bytes.count > byteCount { node.bytes.removeLast(node.bytes.count - byteCount) }
            node.bytes += repeatElement(0, count: byteCount - node.bytes.count)
            node.modified = state.clock
        }
    }

    package func clear(_ file: FileHandle, from offset: Int, to end: Int) throws(SystemError) {
        try with { (state) throws(SystemError) in
            try state.step(.truncate)
            let node = try state.node(file, .truncate)
            let end = min(end, node.bytes.count)
            if offset < end { node.bytes.replaceSubrange(offset..<end, with: repeatElement(0, count: end - offset)) }
            node.modified = state.clock
        }
    }

    package func sync(_ file: FileHandle) throws(SystemError) {
        try with { (state) throws(SystemError) in
            let node = try state.node(file, .sync)
            do throws(SystemError) {
                try state.step(.sync)
            } catch {
                if !state.isDead { node.failToSync() }
                throw error
            }
            node.sync()
        }
    }

    package func syncDirectory(_ path: String) throws(SystemError) {
        try with { (state) throws(SystemError) in
            try state.step(.sync)
            for name in Set(state.names.keys).union(state.durableNames.keys) where Self.parent(name) == path {
                state.durableNames[name] = state.names[name]
            }
            state.removals.removeAll { Self.parent($0) == path }
        }
    }

    package func lock(_ file: FileHandle) throws(SystemError) -> Bool {
        try with { (state) throws(SystemError) in
            let node = try state.node(file, .lock)
            guard node.lockedBy == nil || node.lockedBy == file.rawValue else { return false }
            node.lockedBy = file.rawValue
            return true
        }
    }

    package func unlock(_ file: FileHandle) {
        mutex.withLock { box in
            let node = box.state.open[file.rawValue]
            if node?.lockedBy == file.rawValue { node?.lockedBy = nil }
        }
    }

    package func facts(_ file: FileHandle) throws(SystemError) -> FileFacts {
        try with { (state) throws(SystemError) in Self.facts(try state.node(file, .stat)) }
    }

    package func facts(of path: String) throws(SystemError) -> FileFacts? {
        try with { (state) throws(SystemError) in
            try state.fault(.stat)
            if state.directories.contains(path) {
                return FileFacts(byteCount: 0, allocated: 0, links: 1, modified: 0, isDirectory: true, identity: 0)
            }
            return state.names[path].map(Self.facts)
        }
    }

    package func list(_ directory: String) throws(SystemError) -> [String]? {
        try with { (state) throws(SystemError) in
            guard state.directories.contains(directory) else { return nil }
            return (Array(state.names.keys) + Array(state.directories)).filter { Self.parent($0) == directory && $0 != "/" }
                .map { String($0.split(separator: "/").last ?? "") }
        }
    }

    package func rename(_ path: String, to other: String) throws(SystemError) {
        try with { (state) throws(SystemError) in
            try state.step(.rename)
            guard !state.directories.contains(path) else { return state.moveDirectory(path, to: other) }
            guard let node = state.names[path] else { throw SystemError(.rename, 2) }
            state.names[other]?.links -= 1
            state.names[other] = node
            state.names[path] = nil
            state.noteRemoval(path)
        }
    }

    package func remove(_ path: String) throws(SystemError) {
        try with { (state) throws(SystemError) in
            try state.step(.remove)
            guard state.directories.remove(path) == nil else { return }
            guard let node = state.names.removeValue(forKey: path) else { throw SystemError(.remove, 2) }
            node.links -= 1
            state.noteRemoval(path)
        }
    }

    package func makeDirectory(_ path: String) throws(SystemError) {
        try with { (state) throws(SystemError) in
            guard !state.directories.contains(path) else { return }
            try state.step(.mkdir)
            guard state.directories.contains(Self.parent(path)) else { throw SystemError(.mkdir, 2) }
            state.directories.insert(path)
        }
    }

    private static func facts(_ node: Node) -> FileFacts {
        FileFacts(
            byteCount: node.bytes.count, allocated: node.bytes.count, links: node.links, modified: start + node.modified, isDirectory: false,
            identity: node.identity)
    }

    /// 2026-09-21, in nanoseconds; the clock counts calls from there.
    private static let start: Int64 = 1_790_000_000_000_000_000

    static func parent(_ path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        return "/" + parts.joined(separator: "/")
    }
}
