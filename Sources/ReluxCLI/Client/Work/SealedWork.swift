import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxWire

/// Effects, states and dead letters that only its key opens, in the journals of a cluster that does not run.
struct SealedWork {
    private struct Counts {
        var effects = 0
        var states = 0
        var letters = 0

        /// `2 effects that wait for it, 1 state`
        var text: String {
            func counted(_ count: Int, _ one: String, _ more: String) -> String? { count == 0 ? nil : count.counted(one, more) }
            return [
                counted(effects, "effect that waits for it", "effects that wait for it"), counted(states, "state", "states"),
                counted(letters, "dead letter", "dead letters"),
            ].compactMap(\.self).joined(separator: ", ")
        }
    }

    private var counts: [ModuleID: Counts] = [:]
    private let unreadable: [ModuleID: String]

    /// - Throws: when the folder of the journals cannot be listed. A journal that cannot be read is named beside the others.
    init(_ run: RunDirectory) throws(CLIError) {
        let work = try CLIError.journal { () throws(JournalError) in
            try WaitingWork(folder: run.journals, environment: try .live())
        }
        unreadable = work.unreadable
        for item in work.items where Self.isSealed(item.effect.payload) { counts[item.key.recipient, default: Counts()].effects += 1 }
        for (module, ledger) in work.ledgers {
            let states = ledger.states.values.count { Self.isSealed($0.value) }
            let letters = ledger.dead.values.count { $0.resolution == .open && Self.isSealed($0.payload) }
            if states + letters > 0 {
                counts[module, default: Counts()].states += states
                counts[module, default: Counts()].letters += letters
            }
        }
    }

    /// `sealed with the right one: Auth (2 effects that wait for it, 1 state), Notes (1 dead letter)`
    var text: String {
        let modules = counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.text))" }
        let sealed = modules.isEmpty ? "nothing that is still wanted is sealed" : "sealed with the right one: \(modules.joined(separator: ", "))"
        return ([sealed] + unreadable.sorted { $0.key < $1.key }.map { "the journal of \($0.key) cannot be read: \($0.value)" }).joined(separator: "; ")
    }

    private static func isSealed(_ bytes: ArraySlice<UInt8>) -> Bool { (try? CBORValue(decoding: bytes))?.isSealed ?? false }
}

extension CBORValue {
    /// A secret is in it.
    fileprivate var isSealed: Bool {
        switch self {
        case .tagged(SealedBytes.tag, _): true
        case .tagged(_, let value): value.isSealed
        case .array(let values): values.contains(where: \.isSealed)
        case .map(let pairs): pairs.contains { $0.key.isSealed || $0.value.isSealed }
        case .unsigned, .negative, .bytes, .text, .bool, .null, .float, .double: false
        }
    }
}
