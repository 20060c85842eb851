extension Relux {
    /// Refused dispatches of one module, counted by reason, effect and site: pure.
    ///
    /// Each site is reported at most once in a ``pause``; a report says how many refusals it stands for. The table is bounded: what finds no
    /// place in it counts under its reason alone.
    package struct Refusals: Sendable {
        package struct Key: Hashable, Sendable {
            /// The failure's code.
            package var reason: String
            /// Topic and case; empty for what found no place.
            package var path: String
            package var site: Site
        }

        /// Something to be written down.
        package struct Report: Sendable {
            /// The latest of those it stands for.
            package var refused: RefusedDispatch
            /// Refusals since the report before, this one included.
            package var count: UInt64

            /// For a log: who, what, where, why and the remedy, on one line.
            package var line: String {
                let place = refused.site.place
                let label = refused.label.isEmpty ? "" : " (\(refused.label))"
                let more = count > 1 ? "; \(count - 1) more of it since the last line" : ""
                return "relux: \(refused.module): \(refused.path) was not accepted (\(refused.failure.code))"
                    + (place.isEmpty ? "" : " at \(place)") + "\(label): \(refused.failure.message)\(more)"
            }
        }

        /// Total of one place.
        package struct Count: Sendable, Hashable {
            package var reason: String
            package var path: String
            package var place: String
            package var count: UInt64
            /// The message of the latest refusal.
            package var message: String
        }

        fileprivate struct Entry {
            var count: UInt64 = 0
            /// Since the last report.
            var unsaid: UInt64 = 0
            var saidAt: Duration?
            /// Shown to taps since the last report.
            var shown = 0
            var last: RefusedDispatch
        }

        package static let limit = 64
        package static let pause = Duration.seconds(1)
        /// How many refusals of one site are shown to taps one by one in a pause.
        package static let shownLimit = 32

        private var entries: [Key: Entry] = [:]
        package private(set) var total: UInt64 = 0

        package init() {}

        /// Counts it.
        ///
        /// - Returns: what has to be written down now, nil while the site's last report is fresh; and whether a tap sees it.
        package mutating func note(_ refused: RefusedDispatch, now: Duration) -> (report: Report?, isShown: Bool) {
            var (key, entry) = enter(refused, count: 1)
            entry.unsaid += 1
            let isDue = entry.isDue(now)
            if isDue { entry.shown = 0 }
            entry.shown += 1
            let report = isDue ? entry.report(now) : nil
            let isShown = entry.shown <= Self.shownLimit
            entries[key] = entry
            return (report, isShown)
        }

        /// Counts what is written down by somebody else.
        package mutating func add(_ refused: RefusedDispatch, count: UInt64) {
            let (key, entry) = enter(refused, count: count)
            entries[key] = entry
        }

        private mutating func enter(_ refused: RefusedDispatch, count: UInt64) -> (Key, Entry) {
            total += count
            var key = Key(reason: refused.failure.code, path: refused.path, site: refused.site)
            if entries[key] == nil, entries.count >= Self.limit { key = Key(reason: key.reason, path: "", site: .nowhere) }
            var entry = entries[key] ?? Entry(last: refused)
            entry.last = refused
            entry.count += count
            return (key, entry)
        }

        /// Reports of what was kept back; to be asked every now and then.
        package mutating func due(now: Duration) -> [Report] {
            guard entries.contains(where: { $0.value.unsaid > 0 && $0.value.isDue(now) }) else { return [] }
            return rest { $0.isDue(now) }
        }

        /// The same of all, for the end.
        package mutating func rest() -> [Report] { rest { _ in true } }

        private mutating func rest(where isWanted: (Entry) -> Bool) -> [Report] {
            var reports: [Report] = []
            for (key, entry) in entries where entry.unsaid > 0 && isWanted(entry) {
                var entry = entry
                reports.append(entry.report(entry.saidAt.map { $0 + Self.pause } ?? .zero))
                entries[key] = entry
            }
            return reports
        }

        /// The most frequent first.
        package var counts: [Count] {
            entries.map { key, entry in
                Count(reason: key.reason, path: key.path, place: key.site.place, count: entry.count, message: entry.last.failure.message)
            }
            .sorted { ($1.count, $0.reason, $0.path, $0.place) < ($0.count, $1.reason, $1.path, $1.place) }
        }
    }
}

extension Relux.Refusals.Entry {
    fileprivate func isDue(_ now: Duration) -> Bool { saidAt.map { now - $0 >= Relux.Refusals.pause } ?? true }

    fileprivate mutating func report(_ now: Duration) -> Relux.Refusals.Report {
        defer { (unsaid, saidAt) = (0, now) }
        return Relux.Refusals.Report(refused: last, count: unsaid)
    }
}

extension Relux.Site {
    package static let nowhere = Self(file: "", line: 0, function: "")
}
