import ReluxContract
import ReluxControl
import ReluxPlugin
import ReluxWire

/// The lines that people read of a hand-over: before it, and at its end.
extension Registry {
    func planLines(_ handover: Handover, _ record: ModuleRecord, _ comparison: ContractComparison?) -> [String] {
        let id = handover.module
        let (old, new) = (handover.source, handover.target)
        let version = old.build.path(to: new.build)
        let place = hosts[handover.to] == nil ? "\(handover.to), a new process" : "\(handover.to)"
        var lines = [
            row(handover.kind.rawValue, "\(id) \(version)  host \(handover.from) → \(place)  in flight \(record.present.counters.inFlight)")
        ]
        if handover.kind != .move {
            lines.append(row("contract", contractLine(comparison)))
            lines += (comparison?.changes ?? []).map { row("", $0.description) }
            lines += topicLines(old.declaration, new.declaration)
            lines += stateLines(handover)
        }
        let ends = isLast(id, in: handover.from)
        let neighbours = (hosts[handover.from]?.modules ?? []).filter { $0 != id && modules[$0]?.state.phase != .refused }.map(\.rawValue)
        lines.append(
            row("restarts", ends ? "nobody; host \(handover.from) ends when \(id) is ready in \(handover.to)" : "nobody"))
        if !neighbours.isEmpty {
            lines.append(row("stays", "\(neighbours.joined(separator: ", ")) in host \(handover.from), not restarted"))
        }
        let importing = ordered(index.importers[id] ?? []).map(\.rawValue)
        let waits =
            record.isLive
            ? "effects for \(id), from its last handler to ready" : "nothing more: \(id) is \(record.state.phase.rawValue)"
        lines.append(row("waits", waits + (importing.isEmpty ? "" : "; importers stay ready: \(importing.joined(separator: ", "))")))
        return lines
    }

    func doneLines(_ handover: Handover, _ pause: UInt64, _ remark: String?) -> [String] {
        let (old, new) = (handover.source, handover.target)
        var first =
            handover.kind == .move
            ? "\(handover.module) \(old.build.path(to: new.build)) moved from host \(handover.from) to host \(handover.to)"
            : "\(handover.module) \(old.build.path(to: new.build)) in host \(handover.to)"
        if let remark {
            first += "; \(remark)"
        } else if handover.pause == nil {
            first += ", which did not serve before"
        } else {
            first += ", handed over in \(handover.pause?.isOpen == true ? "at least " : "")\(pause) ms"
            if handover.pause?.isOpen == true { first += " (the broker was started again meanwhile)" }
        }
        // The same version in another directory leaves no other one behind.
        guard handover.kind == .upgrade, served[handover.module]?.before?.directory == old.directory else { return [first] }
        return [first, wayBack(handover)]
    }

    /// The words of the new version's states, as soon as it runs.
    private func wayBack(_ handover: Handover) -> String {
        guard let present = modules[handover.module]?.stored, let before = handover.source.stored else {
            return "way back: relux module rollback \(handover.module), if its states are of the same versions"
        }
        do {
            _ = try present.older(for: before)
            return "way back: relux module rollback \(handover.module)"
        } catch {
            return error.message
        }
    }

    private func contractLine(_ comparison: ContractComparison?) -> String {
        guard let comparison else { return "not compared: one of the two versions has none" }
        if comparison.changes.isEmpty { return "unchanged" }
        if comparison.breaking.isEmpty { return "compatible" }
        return "goes back: effects that wait and are not known any more become dead letters"
    }

    private func topicLines(_ old: ModuleDeclaration, _ new: ModuleDeclaration) -> [String] {
        func list(_ topics: Set<Topic>) -> String { topics.sorted().map(\.rawValue).joined(separator: ", ") }
        var lines: [String] = []
        for (verb, before, after) in [("handles", old.handles, new.handles), ("emits", old.emits, new.emits)] {
            let (more, less) = (Set(after).subtracting(before), Set(before).subtracting(after))
            if !more.isEmpty { lines.append(row(verb, "also \(list(more))")) }
            if !less.isEmpty {
                lines.append(row(verb, "no more \(list(less))" + (verb == "handles" ? ": what waits of it is lost" : "")))
            }
        }
        return lines
    }

    private func stateLines(_ handover: Handover) -> [String] {
        guard let present = handover.source.stored else { return [row("states", "not known: \(handover.sourceName) has not run yet")] }
        guard handover.kind == .rollback else {
            let shapes = present.map { "\($0.name) version \($0.version)" }.joined(separator: ", ")
            return [row("states", (shapes.isEmpty ? "none are kept" : shapes) + "; what the new build makes of them it says when it runs")]
        }
        let lines = present.map { shape in
            row("states", "\(shape.name) version \(shape.version)" + (handover.older[shape.name].map { " → \($0)" } ?? ""))
        }
        if modules[handover.module]?.isLive == false, !handover.older.isEmpty {
            return lines + [row("", "it does not run: nobody turns them back, and the other build may refuse them")]
        }
        return lines
    }

    private func row(_ head: String, _ text: String) -> String {
        head + String(repeating: " ", count: max(1, 10 - head.count)) + text
    }
}
