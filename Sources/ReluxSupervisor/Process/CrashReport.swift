package import Foundation
package import ReluxControl
import ReluxSystem
package import ReluxWire

/// The known facts of a death that nobody asked for; written as `crashes/<host>-<pid>.txt` for people and `.json`.
package struct CrashReport: Codable, Sendable, Equatable {
    package var time: Date
    package var host: HostID
    package var pid: Int32
    /// `signal 4 (SIGILL)`, `exit 64`.
    package var status: String
    package var signal: Int32?
    package var modules: [String]
    /// Effects that its modules had not settled, by name as far as they are; nil until a publisher has said so.
    package var effectsInFlight: [EffectID]?
    /// How many there are, those without a name too.
    package var effectsInFlightCount: UInt64?
    package var headline: String?
    /// The last words of the process itself: the text of a `fatalError` or of a failed precondition.
    package var message: String?
    /// The effect that was run again alone and ended the process; the death is not counted against the host.
    package var charge: EffectID?
    /// That it was near its limit of memory, with both figures and the remedy; nil when it was not.
    package var memory: String?
    package var topFrames: [String]
    /// The backtracer's own file, with all frames.
    package var backtrace: String?

    /// Gathers the report of a process that has just ended; reads its backtrace from `directory`.
    ///
    /// - Parameters:
    ///   - cause: why it was killed from outside; nil when it ended by itself.
    ///   - message: its last words, if it had any.
    ///   - charge: the effect that has to answer for the death.
    package init(
        host: HostID, pid: Int32, status: ChildStatus, modules: [String], time: Date, directory: String, cause: String? = nil,
        message: String? = nil, charge: EffectID? = nil, memory: String? = nil
    ) {
        self.memory = memory
        self.time = time
        self.host = host
        self.pid = pid
        self.status = status.description
        signal = status.signal
        self.modules = modules
        let file = Backtrace.file(of: pid, in: directory)
        let text = file.flatMap(Backtrace.text) ?? ""
        backtrace = file
        headline = cause ?? Backtrace.headline(in: text)
        topFrames = Backtrace.topFrames(in: text)
        self.message = message
        self.charge = charge
    }

    /// Takes in one publisher's share of what was in flight.
    package mutating func add(_ effects: [EffectID], of count: UInt64) {
        effectsInFlight = (effectsInFlight ?? []) + effects
        effectsInFlightCount = (effectsInFlightCount ?? 0).addingReportingOverflow(count).partialValue
    }

    package var text: String {
        var lines = [
            "host       \(host) (pid \(pid))",
            "time       \(Self.format(time))",
            "status     \(status)",
            "modules    \(modules.isEmpty ? "none" : modules.joined(separator: ", "))",
        ]
        switch effectsInFlight {
        case nil: lines.append("in flight  not told yet by the publishers, or they died too")
        case []?: lines.append("in flight  none")
        case let effects?:
            let more = (effectsInFlightCount ?? 0) &- UInt64(effects.count)
            lines.append("in flight  " + effects.map(\.description).joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""))
        }
        if let charge { lines.append("charged to \(charge), which ran again alone; not counted against the host") }
        if let headline { lines.append("cause      \(headline)") }
        if let memory { lines.append("memory     \(memory)") }
        if let message { lines.append("message    " + message.split(separator: "\n").joined(separator: "\n           ")) }
        if !topFrames.isEmpty {
            lines.append("")
            lines += topFrames.enumerated().map { "  #\($0.offset) \($0.element)" }
        }
        if let backtrace { lines += ["", "backtrace  \(backtrace)"] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Writes both files, readable by this user only, and returns the text's path.
    ///
    /// - Throws: what Foundation says of a directory that cannot be written.
    package func write(to directory: String) throws -> String {
        let base = "\(directory)/\(host)-\(pid)"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        for (path, data) in [(base + ".json", try encoder.encode(self)), (base + ".txt", Data(text.utf8))] {
            FilePlace.clear(path)
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        return base + ".txt"
    }

    private static func format(_ time: Date) -> String {
        ISO8601DateFormatter().string(from: time)
    }
}
