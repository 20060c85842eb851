internal import Relux
internal import Synchronization

/// Something that a feature's author got wrong; nothing ends because of it.
public struct FeatureIssue: Sendable, Hashable, CustomStringConvertible {
    public let message: String
    /// `Module/File.swift:12`; empty when it has no place.
    public let place: String

    public var description: String { place.isEmpty ? message : "\(place): \(message)" }

    /// Takes the issues of a task and of what it starts; nil leaves them to ``handler``.
    @TaskLocal public static var reporter: (@Sendable (FeatureIssue) -> Void)?

    /// Takes every issue that no ``reporter`` does; by default they are counted and printed to standard error. Set it once, at the start.
    public static var handler: @Sendable (FeatureIssue) -> Void {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    // lint:allow state.global: a process has one standard error too; tests use the task-local
    private static let shared = Mutex<@Sendable (FeatureIssue) -> Void>({ printToStandardError("relux: \($0)") })

    static func report(_ message: String, fileID: StaticString? = nil, line: UInt = 0) {
        let issue = FeatureIssue(message: message, place: fileID.map { "\($0):\(line)" } ?? "")
        (reporter ?? handler)(issue)
    }
}

/// An action's case with the names of the cases inside, without the values: they may be long, or secret.
func caseText(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "\(type(of: value))" }
    guard let child = mirror.children.first else { return ".\(value)" }
    let name = "." + (child.label ?? "?")
    var inner = child.value
    // A case with several values, or a labelled one: the last is the action.
    if Mirror(reflecting: inner).displayStyle == .tuple, let last = Array(Mirror(reflecting: inner).children).last { inner = last.value }
    return Mirror(reflecting: inner).displayStyle == .enum ? name + caseText(inner) : name
}
