package import ReluxWire

/// The tree of effects and their consequences, out of the ancestry that every effect carries.
///
/// The duration behind a recipient is the time in its handler; `+…` is the wall time since the tree's first effect.
package struct CausalTree: Sendable {
    /// Effects of other trees are forgotten; so is what comes after this many.
    package static let limit = 10_000

    private var effects: [EffectID: TappedEffect] = [:]
    private var order: [EffectID] = []
    private var settlements: [EffectID: [TappedSettlement]] = [:]
    /// In the order in which they came by.
    private var refusals: [TappedRefusal] = []
    /// Nothing is awaited of them, and their part is shown as parked.
    package var absentees: Absentees

    package init(_ absentees: Absentees = Absentees()) { self.absentees = absentees }

    package var isEmpty: Bool { order.isEmpty }

    package mutating func add(_ event: TapEvent) {
        switch event {
        case .effect(let effect):
            guard effects.count < Self.limit, effects[effect.id] == nil else { return }
            effects[effect.id] = effect
            order.append(effect.id)
        case .settlement(let settlement):
            guard settlements.count < Self.limit else { return }
            settlements[settlement.effect, default: []].append(settlement)
        case .refusal(let refusal):
            guard refusals.count < Self.limit else { return }
            refusals.append(refusal)
        }
    }

    /// Whether the event belongs to the tree of `root`, and is none that it has already; a settlement comes behind its effect.
    package func takes(_ event: TapEvent, of root: EffectID) -> Bool {
        switch event {
        case .effect(let effect): effects[effect.id] == nil && Self.isPart(effect, of: root)
        case .settlement(let settlement):
            effects[settlement.effect] != nil && settlements[settlement.effect]?.contains { $0.recipient == settlement.recipient } != true
        case .refusal(let refusal): Self.isPart(refusal, of: root)
        }
    }

    /// Whether the effect belongs to the tree of `root`.
    package static func isPart(_ effect: TappedEffect, of root: EffectID) -> Bool {
        effect.id == root || effect.record.ancestry.contains(root)
    }

    /// Whether it was dispatched by a handler of the tree.
    package static func isPart(_ refusal: TappedRefusal, of root: EffectID) -> Bool { refusal.record.ancestry.contains(root) }

    /// Whether the module has dispatched something when it handled the effect.
    package func hasCaused(_ module: ModuleID, by effect: EffectID) -> Bool {
        effects.values.contains { $0.publisher == module && $0.record.ancestry.last == effect }
            || refusals.contains { $0.module == module && $0.record.ancestry.last == effect }
    }

    /// How many effects of the tree nobody has settled yet although they have recipients that are not known to be absent.
    package func unsettled(of root: EffectID) -> Int {
        effects.values.count {
            Self.isPart($0, of: root) && !$0.record.flags.contains(.unhandled) && settlements[$0.id] == nil && !absentees.isAbandoned($0)
        }
    }

    /// The tree's effects and their settlements, in the order in which they came by.
    package func events(from root: EffectID) -> [TapEvent] {
        order.compactMap { effects[$0] }.filter { Self.isPart($0, of: root) }.flatMap { effect in
            [.effect(effect)] + (settlements[effect.id] ?? []).map(TapEvent.settlement)
        } + refusals.filter { Self.isPart($0, of: root) }.map(TapEvent.refusal)
    }

    /// The tree below `root`, a line per effect; a missing root is named.
    ///
    /// A recipient that has only heard an effect, while others did something about it, is counted: it handles the topic for other cases.
    /// - Parameter isWide: it is named all the same.
    package func lines(from root: EffectID, style: TerminalStyle = .plain, isWide: Bool = false) -> [String] {
        let members = order.compactMap { effects[$0] }.filter { Self.isPart($0, of: root) }
        var children: [EffectID: [Child]] = [:]
        // An ancestor that the tap has missed is passed over.
        func parent(_ ancestry: [EffectID]) -> EffectID { ancestry.last { $0 == root || effects[$0] != nil } ?? root }
        for effect in members where effect.id != root { children[parent(effect.record.ancestry), default: []].append(.effect(effect)) }
        for refusal in refusals where Self.isPart(refusal, of: root) {
            children[parent(refusal.record.ancestry), default: []].append(.refusal(refusal))
        }
        // As they were said; what was heard first came from the quicker host.
        for (parent, said) in children {
            children[parent] = said.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        }
        let page = Page(
            start: (effects[root] ?? members.first)?.record.wallTimeMilliseconds ?? 0, style: style, isWide: isWide, children: children)
        var lines = [effects[root].map { line($0, on: page) } ?? "\(root)  (not seen by this tap)"]
        append(page, below: root, indent: "", to: &lines, depth: 0)
        return lines
    }

    /// The data that each line of one printing needs.
    private struct Page {
        /// The time of the tree's first effect, in milliseconds.
        let start: UInt64
        let style: TerminalStyle
        let isWide: Bool
        let children: [EffectID: [Child]]

        func offset(_ time: UInt64) -> String { style("+\(time > start ? time - start : 0)ms", .dim) }

        /// Whether the recipient owns the effect, has caused another one, answered with a value, or has not simply succeeded.
        func hasActed(_ settlement: TappedSettlement, on effect: TappedEffect) -> Bool {
            let record = settlement.record
            return record.status != .succeeded || !record.result.isEmpty || !record.diverged.isEmpty
                || effect.topic.rawValue.hasPrefix(settlement.recipient.rawValue + ".")
                || children[effect.id]?.contains { $0.module == settlement.recipient } == true
        }
    }

    /// A dispatch by a handler of an effect.
    private enum Child {
        case effect(TappedEffect)
        case refusal(TappedRefusal)

        var module: ModuleID {
            switch self {
            case .effect(let effect): effect.publisher
            case .refusal(let refusal): refusal.module
            }
        }

        var time: UInt64 {
            switch self {
            case .effect(let effect): effect.record.wallTimeMilliseconds
            case .refusal(let refusal): refusal.record.wallTimeMilliseconds
            }
        }
    }

    private func append(_ page: Page, below parent: EffectID, indent: String, to lines: inout [String], depth: Int) {
        // A forged ancestry could name itself.
        guard depth <= EffectContext.ancestryLimit, let list = page.children[parent] else { return }
        let chain = chain(page.children, below: parent)
        guard chain.count <= 2 * Self.shownEnds + 1 else { return append(chain, page, indent: indent, to: &lines, depth: depth) }
        for (index, child) in list.enumerated() {
            let isLast = index == list.count - 1
            let branch = indent + (isLast ? "└─ " : "├─ ")
            switch child {
            case .refusal(let refusal): lines.append(branch + line(refusal, on: page))
            case .effect(let effect):
                lines.append(branch + line(effect, on: page))
                append(page, below: effect.id, indent: indent + (isLast ? "   " : "│  "), to: &lines, depth: depth + 1)
            }
        }
    }

    /// The number of effects shown at either end of a long chain, in which each has caused the next one alone.
    private static let shownEnds = 4

    /// Effects of which each is all that the one before has caused.
    private func chain(_ children: [EffectID: [Child]], below parent: EffectID) -> [TappedEffect] {
        var chain: [TappedEffect] = []
        var last = parent
        while chain.count <= EffectContext.ancestryLimit, let list = children[last], list.count == 1, case .effect(let effect) = list[0] {
            chain.append(effect)
            last = effect.id
        }
        return chain
    }

    private func append(_ chain: [TappedEffect], _ page: Page, indent: String, to lines: inout [String], depth: Int) {
        var indent = indent
        for (index, effect) in chain.enumerated() {
            if index == Self.shownEnds { lines.append(indent + page.style("⋮  \(chain.count - 2 * Self.shownEnds) more, each caused by the one before", .dim)) }
            guard index < Self.shownEnds || index >= chain.count - Self.shownEnds else { continue }
            lines.append(indent + "└─ " + line(effect, on: page))
            indent += "   "
        }
        if let last = chain.last { append(page, below: last.id, indent: indent, to: &lines, depth: depth + chain.count) }
    }

    private func line(_ refusal: TappedRefusal, on page: Page) -> String {
        let (record, style) = (refusal.record, page.style)
        let parts = [
            style("✗ " + TerminalText.escaped(refusal.path), .red), refusal.module.rawValue, page.offset(record.wallTimeMilliseconds),
            style("refused \(TerminalText.escaped(record.reason))", .red), TapLine.place(record.site).map { style($0, .dim) },
        ]
        return parts.compactMap(\.self).joined(separator: "  ") + ": " + TerminalText.escaped(record.message)
    }

    private func line(_ effect: TappedEffect, on page: Page) -> String {
        let style = page.style
        var parts = [
            style("\(effect.id)", .cyan), style(TapLine.call(effect), .bold), effect.publisher.rawValue,
            page.offset(effect.record.wallTimeMilliseconds),
        ]
        let settled = settlements[effect.id] ?? []
        let acted = page.isWide ? settled : settled.filter { page.hasActed($0, on: effect) }
        let shown = acted.isEmpty ? settled : acted
        for settlement in shown {
            let record = settlement.record
            let rest = TapLine.milliseconds(settlement.durationMicroseconds) + TapLine.diverged(record, style)
            parts.append(
                record.status == .succeeded
                    ? style("✓", .green) + " \(settlement.recipient) \(rest)"
                    : style("✗", .red) + " \(settlement.recipient) \(record.status) \(rest)")
        }
        if shown.count < settled.count { parts.append(style("heard by \(settled.count - shown.count) more", .dim)) }
        let recipients = Set(settled.map(\.recipient))
        parts += TapLine.parked(absentees.parked(effect).filter { !recipients.contains($0) }, style)
        if effect.record.flags.contains(.unhandled) { parts.append(style("unhandled", .yellow)) }
        return parts.joined(separator: "  ")
    }
}
