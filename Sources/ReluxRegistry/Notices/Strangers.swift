/// Connections that speak without having said who they are. Whoever does so is asked, and most answer: a host that comes back to another broker, say.
struct Strangers: Sendable {
    /// The number of connections that are remembered of each sort.
    static let limit = 256
    private var open: [ConnectionID: UInt64] = [:]
    /// The connections of processes whose end was told before their last words came.
    private var past: [ConnectionID] = []
    private var others: UInt64 = 0

    /// Messages of those that have not answered.
    var messages: UInt64 { open.values.reduce(others, &+) }

    /// - Returns: whether it is a stranger, and not somebody whose end came first.
    mutating func heard(_ connection: ConnectionID) -> Bool {
        guard !past.contains(connection) else { return false }
        if open[connection] == nil, open.count >= Self.limit { others &+= 1 } else { open[connection, default: 0] += 1 }
        return true
    }

    mutating func introduced(_ connection: ConnectionID) {
        open[connection] = nil
        past.removeAll { $0 == connection }
    }

    mutating func ended(_ connection: ConnectionID) {
        past.append(connection)
        if past.count > Self.limit { past.removeFirst() }
    }
}
