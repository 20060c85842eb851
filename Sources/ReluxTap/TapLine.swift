package import ReluxWire

/// How an event looks to people, a line each.
package struct TapLine: Sendable {
    private let style: TerminalStyle

    package init(style: TerminalStyle = .plain) { self.style = style }

    /// Its time is that of UTC, as in logs, crash reports and dead letters.
    ///
    /// `12:30:25.114Z  Auth#3.42  Auth.Business.Effect.authSucceeded(userId: "u7")  Auth  Auth+Saga.swift:41  <- Session#2.7`
    ///
    /// - Parameter parked: recipients that nobody waits for, shown as `‖ Profile parked`.
    package func text(of effect: TappedEffect, parked: [ModuleID] = []) -> String {
        var parts = [
            style(time(of: effect.record.wallTimeMilliseconds), .dim), style("\(effect.id)", .cyan),
            style(Self.call(effect), .bold), effect.publisher.rawValue,
        ]
        if let place = Self.place(effect.record.site) { parts.append(style(place, .dim)) }
        if !effect.record.label.isEmpty { parts.append("[\(TerminalText.escaped(effect.record.label))]") }
        if effect.record.flags.contains(.unhandled) { parts.append(style("unhandled", .yellow)) }
        parts += Self.parked(parked, style)
        if let cause = effect.record.cause { parts.append(style("<- \(cause)", .dim)) }
        return parts.joined(separator: "  ")
    }

    /// `✓ Profile settled Auth#3.42 succeeded 2.1ms`, and `2 diverged` when the run has left out what an earlier one had said.
    package func text(of settlement: TappedSettlement) -> String {
        let record = settlement.record
        let mark = record.status == .succeeded ? style("✓", .green) : style("✗", .red)
        return "\(mark) \(settlement.recipient) settled \(settlement.effect) \(record.status) "
            + Self.milliseconds(settlement.durationMicroseconds) + Self.diverged(record, style)
    }

    /// `✗ 12:30:25.114  Notes.Business.Effect.add  Uptime  refused undeclared  Uptime+Flow.swift:41  <- Uptime#7`, and behind it why.
    package func text(of refusal: TappedRefusal) -> String {
        let record = refusal.record
        var parts = [
            style("✗", .red) + " " + style(time(of: record.wallTimeMilliseconds), .dim), style(TerminalText.escaped(refusal.path), .bold),
            refusal.module.rawValue, style("refused \(TerminalText.escaped(record.reason))", .red),
        ]
        if let place = Self.place(record.site) { parts.append(style(place, .dim)) }
        if !record.label.isEmpty { parts.append("[\(TerminalText.escaped(record.label))]") }
        if let cause = record.cause { parts.append(style("<- \(cause)", .dim)) }
        return parts.joined(separator: "  ") + ": " + TerminalText.escaped(record.message)
    }

    /// The last part of the file and the line; nil where nothing is known. What came through the ingress has a place, but no line.
    static func place(_ site: CallSite) -> String? {
        guard let file = site.file.split(separator: "/").last else { return nil }
        return TerminalText.escaped(String(file)) + (site.line > 0 ? ":\(site.line)" : "")
    }

    static func parked(_ modules: [ModuleID], _ style: TerminalStyle) -> [String] { modules.map { style("‖", .yellow) + " \($0) parked" } }

    /// Nothing for a handler that ran once or said the same again.
    static func diverged(_ record: SettledRecord, _ style: TerminalStyle) -> String {
        record.diverged.isEmpty ? "" : " " + style("\(record.diverged.count) diverged", .yellow)
    }

    /// The effect as Swift would write it.
    package static func call(_ effect: TappedEffect) -> String {
        guard let value = effect.payload else { return "\(effect.path)(<\(effect.record.payload.count) bytes>)" }
        let text = value.swiftDescription()
        return effect.record.caseName.isEmpty ? effect.topic.rawValue + text : "\(effect.topic).\(text)"
    }

    package static func milliseconds(_ microseconds: UInt64) -> String {
        "\(microseconds / 1000).\(microseconds % 1000 / 100)ms"
    }

    private func time(of milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1000 % 86_400
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let rest = "\(milliseconds % 1000)"
        return clock.joined(separator: ":") + "." + String(repeating: "0", count: 3 - rest.count) + rest + "Z"
    }
}
