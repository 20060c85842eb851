/// How many connections clients have at once, and whose are ended when there are too many. Pure: the caller counts and ends them.
///
/// Design notes. A connection costs the broker memory and a descriptor before its client has said a word, and it can be ended only with all others of
/// its process. So the process that has the most loses its connections; a process with a single one is not the reason that there are too many, as
/// long as another has more. Connections are counted once in a while, and a thousand are made in a moment: so only ``room`` are let in between two
/// looks. They are a few more than the limit, or nobody would be found above it while the process that has the most keeps all others out.
struct ClientCrowd: Sendable {
    struct Process: Hashable, Sendable {
        var pid: Int32
        var connections: Int

        init(pid: Int32, connections: Int) {
            self.pid = pid
            self.connections = connections
        }
    }

    /// The broker stays below 200 MiB with this many, whatever they leave unread: libzmq 4.3.4 takes 30 to 66 KiB for each.
    static let defaultLimit = 2048
    /// The number of ended processes that are named, the first of them.
    private static let namedLimit = 16

    var limit: Int
    private(set) var open = 0
    /// The most that were ever open.
    private var peak = 0
    private var greatest: Process?
    private var ended: [(process: Process, name: String, times: UInt64)] = []
    private var endedMore: UInt64 = 0
    /// How many more may come before the next look.
    private(set) var room = 0
    /// Connections that found no room, since the broker's start.
    var turnedAway: UInt64 = 0

    init(limit: Int = defaultLimit) { self.limit = limit }

    /// The limit for a process that may open this number of descriptors: half of them. New clients still come in then, before ``DescriptorFence`` turns
    /// everybody away.
    static func limit(descriptors: Int) -> Int { min(defaultLimit, descriptors / 2) }

    /// The processes whose connections are to be ended now, so that the rest is within the limit.
    mutating func look(_ processes: [Process]) -> [Process] {
        open = processes.reduce(0) { $0 + $1.connections }
        peak = max(peak, open)
        let ordered = processes.sorted { ($1.connections, $0.pid) < ($0.connections, $1.pid) }
        greatest = ordered.first
        var left = open
        let excess = ordered.prefix { process in
            guard left > limit else { return false }
            left -= process.connections
            return true
        }
        room = limit + limit / 16 - left
        return Array(excess)
    }

    /// The connections of the process were ended.
    ///
    /// - Parameter name: the program's; empty when it is gone.
    mutating func end(_ process: Process, name: String) {
        if let index = ended.firstIndex(where: { $0.process.pid == process.pid && $0.name == name }) {
            ended[index].times += 1
            ended[index].process.connections = max(ended[index].process.connections, process.connections)
        } else if ended.count < Self.namedLimit {
            ended.append((process, name, 1))
        } else {
            endedMore += 1
        }
    }

    /// For `doctor`, a line each; empty as long as there are few.
    var notes: [String] {
        var lines = ended.map { process, name, times in
            "the \(process.connections) connections of process \(process.pid)\(name.isEmpty ? "" : " (\(name))") were ended\(times > 1 ? " \(times) times" : ""):"
                + " clients had more than \(limit) in all, the limit, and it the most"
        }
        if endedMore > 0 { lines.append("connections were ended for that reason \(endedMore) times more") }
        // The door is closed for the moment of each look: whoever comes just then comes again at once, and that is no crowd.
        if turnedAway > 0, peak > limit / 2 {
            lines.append(
                "\(turnedAway) connections were turned away at the door: clients had \(limit + limit / 16), or as many came within a second; whoever"
                    + " comes again is let in as soon as there is room")
        }
        if open > limit / 2, let greatest {
            lines.append(
                "clients have \(open) connections, \(greatest.connections) of them process \(greatest.pid); above \(limit) those of the process with the"
                    + " most are ended")
        }
        return lines
    }
}
