import Relux

extension BusCore.Action {
    /// Keeps only the latest snapshot of each state: the one with the highest version. A snapshot that is said again for a
    /// newcomer may stand behind a newer one.
    static func conflated(_ actions: [Self]) -> [Self] {
        // Nearly always there is none; a look that binds nothing retains nothing.
        let hasSnapshots = actions.contains { if case .publish(_, _, .snapshot, _) = $0 { true } else { false } }
        guard hasSnapshots else { return actions }
        var latest: [StreamID: (version: UInt64, index: Int)] = [:]
        for (index, action) in actions.enumerated() {
            guard case .publish(let stream, _, .snapshot(let record), _) = action else { continue }
            if let known = latest[stream], known.version > record.version { continue }
            latest[stream] = (record.version, index)
        }
        return actions.enumerated().compactMap { index, action in
            guard case .publish(let stream, _, .snapshot, _) = action, latest[stream]?.index != index else { return action }
            return nil
        }
    }
}
