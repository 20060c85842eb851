/// Something that happens once.
public final class Signal: Sendable {
    private let fired = Watched(false)
    private let name: String

    public init(_ name: String = "a signal") { self.name = name }

    public func fire() { fired.update { $0 = true } }
    public var hasFired: Bool { fired.value }

    public func wait() async throws(WatchdogError) { try await fired.wait(for: name) { $0 } }
}
