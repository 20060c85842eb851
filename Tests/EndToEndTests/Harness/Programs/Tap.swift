import Foundation
import Glibc
import ReluxTestKit
import ReluxWire

/// A running `relux tap --json --settlements`, whose lines can be waited for.
final class Tap: Sendable {
    private let child: Child
    private let printed = Watched<[JSONValue]>([])
    private let talk = Watched("")

    init(_ cluster: Cluster, _ patterns: [String] = ["**"]) throws {
        let (out, err) = (Pipe(), Pipe())
        child = try Child(
            Built.path("relux"), ["tap"] + patterns + ["--json", "--settlements"], environment: cluster.cli.environment,
            input: FileHandle.nullDevice.fileDescriptor, output: out.fileHandleForWriting.fileDescriptor,
            error: err.fileHandleForWriting.fileDescriptor)
        for pipe in [out, err] { try pipe.fileHandleForWriting.close() }
        Self.read(out.fileHandleForReading) { [printed] line in
            if let json = try? JSONValue(parsing: line) { printed.update { $0.append(json) } }
        }
        Self.read(err.fileHandleForReading) { [talk] line in talk.update { $0 += line + "\n" } }
    }

    /// Calls back for each whole line, on a thread of its own, until the end of file.
    private static func read(_ handle: FileHandle, _ line: @escaping @Sendable (String) -> Void) {
        Thread {
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    line(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
        }.start()
    }

    /// All lines so far.
    var lines: [JSONValue] { printed.value }
    var effects: [Effect] { lines.compactMap(Effect.init) }
    var settlements: [Settlement] { lines.compactMap(Settlement.init) }

    /// Waits for an effect that has been, or comes.
    @discardableResult
    func effect(_ what: String, where isWanted: @escaping @Sendable (Effect) -> Bool) async throws -> Effect {
        try await printed.wait(for: "the tap to show \(what)") { $0.contains { Effect($0).map(isWanted) ?? false } }
        guard let found = effects.first(where: isWanted) else { throw HarnessError("the tap forgot \(what)") }
        return found
    }

    /// Waits until what the tap has shown is as wanted.
    func wait(_ what: String, until isAsWanted: @escaping @Sendable ([JSONValue]) -> Bool) async throws {
        try await printed.wait(for: "the tap to show \(what)", until: isAsWanted)
    }

    /// Waits until the tap hears all modules that take part in a session: sends harmless effects until it has heard
    /// each of them settle one. Subscriptions take their time, and nothing tells when they have arrived.
    func hearing(_ cluster: Cluster) async throws {
        let wanted = Set(cluster.modules).subtracting(Placement.infrastructure)
            .intersection(Placement.domains + Placement.orchestrators)
        let clock = ContinuousClock()
        let end = clock.now + watchdog
        while !wanted.isSubset(of: Set(settlements.map(\.recipient))) {
            guard clock.now < end else { throw HarnessError("the tap hears only \(Set(settlements.map(\.recipient)))") }
            try await Self.warmUp(cluster)
        }
    }

    /// Has all modules that take part in a session settle an effect which changes nothing.
    static func warmUp(_ cluster: Cluster) async throws {
        let effects = [
            "SessionOrchestration.Effect.teardownSession", "Notes.Business.Effect.close", "Files.Business.Effect.close",
            "Sync.Business.Effect.stop",
        ]
        for effect in effects where cluster.modules.contains(where: { effect.hasPrefix($0 + ".") }) {
            _ = try await cluster.cli("effect", "send", effect, "--label", "tap-warm-up")
        }
    }

    /// Ends it as Ctrl-C does; returns what it said on standard error.
    @discardableResult
    func end() async throws -> String {
        child.signal(SIGINT)
        try await child.ended("the tap")
        // Its last words may still be in the pipe.
        try await talk.wait(for: "the tap's last words") { $0.contains("dropped") || $0.contains("relux:") }
        return talk.value
    }

    struct Effect: Sendable, Hashable {
        let id: String
        let topic: String
        let caseName: String
        let module: String
        let cause: String?
        let root: String?
        let hop: Int
        let file: String
        let line: Int
        let label: String
        /// The fingerprint; nil when its publisher named none.
        let contract: String?
        let isUnhandled: Bool
        let payload: JSONValue
        var path: String { "\(topic).\(caseName)" }

        init?(_ json: JSONValue) {
            guard json["schema"]?.text == "relux.tap.effect/1", let id = json["id"]?.text else { return nil }
            self.id = id
            topic = json["topic"]?.text ?? ""
            caseName = json["case"]?.text ?? ""
            module = json["module"]?.text ?? ""
            cause = json["cause"]?.text
            root = json["root"]?.text
            hop = json["hop"]?.whole ?? -1
            file = json["site"]?["file"]?.text ?? ""
            line = json["site"]?["line"]?.whole ?? 0
            label = json["label"]?.text ?? ""
            contract = json["contract"]?.text
            isUnhandled = json["unhandled"] == .bool(true)
            payload = json["payload"] ?? .null
        }
    }

    struct Settlement: Sendable, Hashable {
        let effect: String
        let recipient: String
        let status: String

        init?(_ json: JSONValue) {
            guard json["schema"]?.text == "relux.tap.settlement/1" else { return nil }
            effect = json["effect"]?.text ?? ""
            recipient = json["recipient"]?.text ?? ""
            status = json["status"]?.text ?? ""
        }
    }
}

extension JSONValue {
    /// A member by its name; of an array, the element by its index.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value
    }
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
    var whole: Int? {
        guard case .integer(let number) = self else { return nil }
        return Int(number)
    }
}
