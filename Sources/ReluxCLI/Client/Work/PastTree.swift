import ReluxControl
import ReluxJournal
import ReluxTap
import ReluxWire

/// Reads an effect and its descendants from the journals of this node.
///
/// Transient effects are in no journal. Effects that were trimmed or cannot be read are left out.
enum PastTree {
    /// The effects by their times, and behind them their settlements.
    ///
    /// - Parameter order: of the fields that are shown.
    static func events(of root: EffectID, _ run: RunDirectory, _ order: FieldOrder) -> [TapEvent] {
        let journals = ((try? NodeJournals(run).found) ?? []).filter { !$0.segments.isEmpty }
        var effects: [TappedEffect] = []
        read(journals) { module, topic, epoch, record in
            guard case .effect(let effect) = record, effect.ancestry.contains(root) || EffectID(module: module, position: effect.position) == root else { return }
            effects.append(TappedEffect(publisher: module, topic: topic, epoch: epoch, record: effect, order: order))
        }
        guard !effects.isEmpty else { return [] }
        effects.sort { ($0.record.wallTimeMilliseconds, $0.id) < ($1.record.wallTimeMilliseconds, $1.id) }
        let known = Set(effects.map(\.id))
        var settlements: [TapEvent] = []
        read(journals) { module, topic, _, record in
            guard case .settled(let settled) = record, let publisher = topic.settledPublisher else { return }
            for effect in settled.effects.map({ EffectID(module: publisher, position: $0.position) }) where known.contains(effect) {
                settlements.append(.settlement(TappedSettlement(recipient: module, effect: effect, record: settled)))
            }
        }
        return effects.map(TapEvent.effect) + settlements
    }

    /// Whether its module has said it, or a later effect: it will not come by any more.
    static func hasGoneBy(_ effect: EffectID, _ run: RunDirectory) -> Bool {
        guard let journal = try? NodeJournals(run).found.first(where: { $0.module == effect.module }), !journal.segments.isEmpty,
            let environment = try? JournalEnvironment.live(),
            let reader = try? JournalReader(directory: journal.directory, module: journal.module, environment: environment)
        else { return false }
        return (try? reader.seek(position: effect.position)) ?? false
    }

    /// Every record of each journal, up to where it can be read: `relux journal verify` tells the rest.
    private static func read(_ journals: [JournalListing], _ take: (ModuleID, Topic, Epoch, WireRecord) -> Void) {
        for journal in journals {
            guard let environment = try? JournalEnvironment.live(),
                let reader = try? JournalReader(directory: journal.directory, module: journal.module, environment: environment), let end = try? reader.end()
            else { continue }
            while let batches = try? reader.next(before: end) {
                for batch in batches {
                    for run in batch.runs {
                        for record in (try? WireRecord.decodeAll(run.records)) ?? [] { take(journal.module, run.topic, batch.epoch, record) }
                    }
                }
            }
        }
    }
}
