public import Relux

/// A module that records every action and effect that reaches it, and answers as it is told.
///
/// A node keeps one state of each type, so two of them in one node take different phantoms; with them they have different names too.
public struct MockModule<Phantom>: Relux.Module {
    public let moduleID: ModuleID
    public let state: RecordingState<Phantom>
    public let flow: RecordingFlow<Phantom>
    public let handles: [any Relux.Effect.Type]?
    public let emits: [any Relux.Effect.Type]?
    public let dependencies: [any Relux.Module]
    public let isSerial: Bool

    public var states: [any Relux.AnyState] { [state] }
    public var sagas: [any Relux.Saga] { [flow] }

    /// - Parameter id: `Mock` and the phantom's name when none is given; without a phantom `Mock` alone.
    public init(
        _ id: ModuleID? = nil, as _: Phantom.Type, handles: [any Relux.Effect.Type]? = nil,
        emits: [any Relux.Effect.Type]? = nil, dependencies: [any Relux.Module] = [], isSerial: Bool = false,
        answer: @escaping @Sendable (any Relux.Effect) async -> Relux.ActionResult = { _ in .success }
    ) {
        moduleID = id ?? (Phantom.self == Never.self ? "Mock" : Relux.moduleID(of: Phantom.self, prefix: "Mock."))
        state = RecordingState()
        flow = RecordingFlow(answer: answer)
        self.handles = handles
        self.emits = emits
        self.dependencies = dependencies
        self.isSerial = isSerial
    }

    /// The effects that its flow was offered, in order of the starts.
    public var effects: [any Relux.Effect] { flow.effects.elements }
    /// The actions that its state reduced, effects too.
    public var reduced: [any Relux.Action] { state.reduced.elements }
    public var cleanups: Int { state.cleanups.elements.count }
}

extension MockModule where Phantom == Never {
    public init(
        _ id: ModuleID? = nil, handles: [any Relux.Effect.Type]? = nil, emits: [any Relux.Effect.Type]? = nil,
        dependencies: [any Relux.Module] = [], isSerial: Bool = false,
        answer: @escaping @Sendable (any Relux.Effect) async -> Relux.ActionResult = { _ in .success }
    ) {
        self.init(
            id, as: Never.self, handles: handles, emits: emits, dependencies: dependencies, isSerial: isSerial,
            answer: answer)
    }
}

public final class RecordingState<Phantom>: Relux.BusinessState {
    public let reduced = Recorder<any Relux.Action>()
    public let cleanups = Recorder<Void>()
    init() {}
    public func reduce(with action: any Relux.Action) async { reduced.record(action) }
    public func cleanup() async { cleanups.record(()) }
}

public final class RecordingFlow<Phantom>: Relux.Flow {
    public let effects = Recorder<any Relux.Effect>()
    private let answer: @Sendable (any Relux.Effect) async -> Relux.ActionResult
    init(answer: @escaping @Sendable (any Relux.Effect) async -> Relux.ActionResult) { self.answer = answer }
    public func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        effects.record(effect)
        return await answer(effect)
    }
}
