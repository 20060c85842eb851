internal import Relux

/// Something that a feature's author got wrong; nothing ends because of it.
///
/// It goes to the `onIssue` of the store that it came up in, else to the task's ``reporter``, else to standard error.
public struct FeatureIssue: Sendable, Hashable, CustomStringConvertible {
    public let message: String
    /// `Module/File.swift:12`; empty when it has no place.
    public let place: String

    public var description: String { place.isEmpty ? message : "\(place): \(message)" }

    /// Takes the issues of a task and of what it starts, unless they come up in a store that has its own `onIssue`.
    @TaskLocal public static var reporter: (@Sendable (FeatureIssue) -> Void)?

    /// The reporter that takes an issue that comes up here and now.
    static var currentReporter: @Sendable (FeatureIssue) -> Void { reporter ?? { printToStandardError("relux: \($0)") } }

    init(_ message: String, fileID: StaticString? = nil, line: UInt = 0) {
        self.message = message
        place = fileID.map { "\($0):\(line)" } ?? ""
    }

    static func report(_ message: String, fileID: StaticString? = nil, line: UInt = 0) {
        currentReporter(FeatureIssue(message, fileID: fileID, line: line))
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
