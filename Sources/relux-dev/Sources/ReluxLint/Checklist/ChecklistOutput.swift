import Foundation

/// Checklists for people.
package enum ChecklistText {
    /// A line for each point with what was seen of it, `[x]` done, `[ ]` open, `[?]` for a person to say.
    package static func lines(_ lists: [Checklist]) -> [String] {
        lists.flatMap { list in
            ["\(list.subject): \(list.title)"]
                + list.points.enumerated().flatMap { index, point in
                    ["  [\(mark(point.state))] \(index + 1). \(point.text)", "         \(point.reason)"]
                }
        }
    }

    package static func summary(_ lists: [Checklist]) -> String {
        let points = lists.flatMap(\.points)
        func count(_ state: Checklist.State) -> Int { points.count { $0.state == state } }
        return "\(count(.done)) of \(points.count) done, \(count(.open)) open, \(count(.unseen)) that only a person can tell"
    }

    private static func mark(_ state: Checklist.State) -> String {
        switch state {
        case .done: "x"
        case .open: " "
        case .unseen: "?"
        }
    }
}

/// Checklists for programs: `relux.checklist/1`.
package struct ChecklistJSON: Encodable {
    private struct List: Encodable {
        struct Point: Encodable {
            let number: Int
            let text: String
            let state: String
            let reason: String
        }
        let subject: String
        let title: String
        let points: [Point]
    }

    private let schema = "relux.checklist/1"
    private let checklists: [List]
    private let open: Int

    private enum CodingKeys: CodingKey { case schema, checklists, open }

    package init(_ lists: [Checklist]) {
        checklists = lists.map { list in
            List(
                subject: list.subject, title: list.title,
                points: list.points.enumerated().map { .init(number: $0 + 1, text: $1.text, state: $1.state.rawValue, reason: $1.reason) })
        }
        open = lists.reduce(0) { $0 + $1.open }
    }

    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("names and texts always encode") }
        return String(decoding: data, as: UTF8.self)
    }
}
