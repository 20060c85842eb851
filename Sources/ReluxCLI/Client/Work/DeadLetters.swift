import Foundation
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxOutput
import ReluxPack
import ReluxSupervisor
import ReluxWire

/// A dead letter, and in whose journal it lies.
struct DeadLetter: Sendable {
    let module: ModuleID
    let record: DeadRecord

    var effect: String { record.caseName.isEmpty ? record.topic.rawValue : "\(record.topic).\(record.caseName)" }
}

extension CommandSession {
    /// All letters of the node, the oldest first, and the journals that may hold more of them.
    ///
    /// - Parameter module: only those of this one.
    func letters(of module: String? = nil) throws(CLIError) -> (found: [DeadLetter], unreadable: [UnreadableJournal]) {
        let (ledgers, unreadable) = try ledgers(of: module)
        var letters = ledgers.flatMap { module, ledger in ledger.dead.values.map { DeadLetter(module: module, record: $0) } }
        letters.sort {
            ($0.record.wallTimeMilliseconds, $0.record.effect, $0.module)
                < ($1.record.wallTimeMilliseconds, $1.record.effect, $1.module)
        }
        return (letters, unreadable)
    }

    /// The one letter of an effect. A journal that cannot be read is no reason not to have one that another journal holds.
    func letter(_ id: String, of module: String?) throws(CLIError) -> DeadLetter {
        let effect: EffectID
        do { effect = try EffectID(parsing: id) } catch {
            throw CLIError(.usage, "dlq.id", error.message, hint: "`relux dlq ls` shows all")
        }
        let (letters, unreadable) = try letters(of: module)
        let found = letters.filter { $0.record.effect == effect }
        guard let first = found.first else {
            guard report(unreadable) == .ok else {
                let modules = unreadable.map(\.module.rawValue).sorted().joined(separator: ", ")
                throw CLIError(
                    .failed, "dlq.unread", "no journal that can be read has a dead letter of \(effect); one may be in that of \(modules)",
                    hint: "mend what is named here, then try again")
            }
            // It is said as it was typed; read otherwise, both ways.
            let meant = [effect.description, effect.number].contains(id) ? id : "\(id), which is \(effect)"
            let known = Set(letters.map(\.record.effect.module.rawValue)).union(try journals().found.map(\.module.rawValue)).sorted()
            let near = known.contains(effect.module.rawValue) ? nil : NearestName.meant(effect.module.rawValue, among: known)
            throw CLIError(
                .notFound, "dlq.missing", "there is no dead letter of \(meant)" + (module.map { " in the journal of \($0)" } ?? ""),
                hint: (near.map { "\($0) Else " } ?? "") + "`relux dlq ls --all` shows all")
        }
        guard found.count == 1 else {
            throw CLIError(
                .usage, "dlq.ambiguous", "\(effect) was given up by \(found.map(\.module.rawValue).joined(separator: ", "))",
                hint: "name one of them with --module")
        }
        for journal in unreadable { say("note: \(journal.error)") }
        return first
    }

    /// The same, if nobody has done anything about it yet.
    func openLetter(_ id: String, of module: String?) throws(CLIError) -> DeadLetter {
        let letter = try letter(id, of: module)
        guard letter.record.resolution == .open else {
            throw CLIError(
                .refused, "dlq.resolved", "the dead letter of \(letter.record.effect) was \(letter.record.resolution) before",
                hint: "`relux dlq show \(letter.record.effect)` has its payload")
        }
        return letter
    }

    /// Crash reports of the module's processes that are charged to the effect or name it, those before these, the latest first.
    func crashReports(of letter: DeadLetter) throws(CLIError) -> [(path: String, report: CrashReport)] {
        let folder = try location().run.crashes
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".json") }
        // A report that is just being written is not there yet.
        let reports = files.compactMap { file in
            PlainFile.contents("\(folder)/\(file)").flatMap { try? decoder.decode(CrashReport.self, from: $0) }
                .map { (path: "\(folder)/\(file.dropLast(5)).txt", report: $0) }
        }
        return reports.filter { _, report in
            let effect = letter.record.effect
            return (report.charge == effect || report.effectsInFlight?.contains(effect) == true)
                && report.modules.contains { $0.split(separator: " ").first.map(String.init) == letter.module.rawValue }
        }.sorted { a, b in
            let (first, second) = (a.report.charge != nil, b.report.charge != nil)
            return first == second ? (a.report.time, a.path) > (b.report.time, b.path) : first
        }
    }
}
