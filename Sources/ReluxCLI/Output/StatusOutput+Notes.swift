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
            let about = modules(in: notes.map(\.text), status)
            return [
                "\(kind.prefix)\(notes.count) notes\(about.isEmpty ? "" : " on \(about.joined(separator: ", "))"), such as: \(first.text); "
                    + "relux doctor has them all"
            ]
        }
    }

    /// The modules whose journals or files the notes are about: the name after the first `of`.
    private static func modules(in notes: [String], _ status: ClusterStatus) -> [String] {
        let known = Set(status.modules.map(\.id.rawValue) + ["Cluster"])
        let found = notes.compactMap { note -> String? in
            let words = note.split(separator: " ")
            guard let index = words.firstIndex(of: "of"), index + 1 < words.count else { return nil }
            return String(words[index + 1].prefix { $0.isLetter || $0.isNumber || "_-.".contains($0) })
        }
        return Set(found).intersection(known).sorted()
    }
}
