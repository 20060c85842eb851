import ReluxControl
import ReluxWire

extension StatusOutput {
    /// More notes than these of one kind are one line.
    private static let notesShown = 3

    /// The notes on disks, journals, files and dispatches. Many of a kind are one line: their number, the modules and one of them.
    static func troubles(_ status: ClusterStatus) -> [String] {
        [ClusterNote.Kind.disk, .journal, .files, .refusals].flatMap { kind -> [String] in
            let notes = status.notes.filter { $0.kind == kind }
            guard notes.count > notesShown, let first = notes.first else { return notes.map(\.description) }
            let about = Set(notes.compactMap(\.module?.rawValue)).sorted()
            return [
                "\(kind.prefix)\(notes.count) notes\(about.isEmpty ? "" : " on \(about.joined(separator: ", "))"), such as: \(first.text); "
                    + "relux doctor has them all"
            ]
        }
    }
}
