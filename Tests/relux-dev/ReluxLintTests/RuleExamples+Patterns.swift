import ReluxGenerate
import ReluxLayers
@testable import ReluxLint

extension RuleExample {
    static let patterns: [RuleExample] = [
        RuleExample(
            rule: .notificationCenter,
            bad: [
                Sample("AuthReluxImpl", "func done() { NotificationCenter.default.post(name: .loginComplete, object: nil) }"),
                Sample("AuthReluxImpl", "struct Bell { let centre: NotificationCenter }"),
                Sample("AuthReluxImpl", "struct Bell { let centre: Foundation.NotificationCenter }"),
                Sample("AuthServiceImpl", "func done() { notify_post(\"login\") }"),
            ],
            good: [
                Sample(
                    "AuthReluxImpl",
                    "// NotificationCenter is not for this\nlet word = \"NotificationCenter\"\nfunc done() -> Effect { .send(.delegate(.loginCompleted)) }"
                )
            ]),
        RuleExample(
            rule: .globalState,
            bad: [
                Sample("AuthReluxImpl", "struct Cache { static var entries: [String: Int] = [:] }"),
                Sample("AuthReluxImpl", "nonisolated(unsafe) var current: String?"),
                Sample("AuthReluxImpl", "enum Counter { private static let total = Mutex<Int>(0) }"),
                Sample("AuthReluxImpl", "extension Auth { static var watched = 0 { didSet { print(watched) } } }"),
                Sample("AuthReluxImpl", "let total: Mutex<Int> = .init(0)"),
                Sample("AuthReluxImpl", "nonisolated(unsafe) let page = UnsafeMutablePointer<Int>.allocate(capacity: 1)"),
            ],
            good: [
                Sample("AuthReluxImpl", "enum Rules { static let limit = 8\nstatic var text: String { \"at most \\(limit)\" } }"),
                Sample("AuthReluxImpl", "enum Scope { @TaskLocal static var current: Scope? }"),
                Sample(
                    "AuthReluxImpl",
                    "actor Store { var entries: [String: Int] = [:]\nprivate let total = Mutex<Int>(0)\nfunc one() { var local = 1; local += 1 } }"
                ),
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "",
                    "Auth/Tests/AuthTests/B.swift": "enum Made { static let once = Mutex<Bool>(false) }",
                ]),
                Sample(["Auth/Sources/AuthReluxImpl/main.swift": "var line = 0"]),
            ]),
        RuleExample(
            rule: .singleton,
            bad: [
                Sample("AuthReluxImpl", "final class AppState { static let shared = AppState() }"),
                Sample("AuthReluxImpl", "actor Session { static let current: Session = .init() }"),
                Sample("AuthReluxImpl", "func login() { AppState.shared.isLoggedIn = true }"),
                // Under another name, of a type that is declared elsewhere in the package.
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "let session = Session(name: \"\")",
                    "Auth/Sources/AuthReluxImpl/B.swift": "actor Session { var user: String? }",
                ]),
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "enum Services { static let log: Log = .init() }",
                    "Auth/Sources/AuthServiceImpl/B.swift": "public final class Log { private let lines = Mutex<[String]>([]) }",
                ]),
                Sample("AuthServiceImpl", "func remember(_ user: String) { UserDefaults.standard.set(user, forKey: \"user\") }"),
            ],
            good: [
                Sample(
                    "AuthReluxImpl", "struct Failure { static let storage = Failure(code: 1) }\nfinal class Pool { static let size = 4 }"),
                Sample("AuthReluxImpl", "struct Shared { let shared: Int }\nfunc sum(_ a: Shared) -> Int { a.shared + 1 }"),
                // Nothing in it changes; and one that the container makes.
                Sample("AuthReluxImpl", "final class Words { let all = [\"a\"] }\nlet words = Words()"),
                Sample("AuthReluxImpl", "actor Session { var user: String? }\nfunc make() -> Session { let session = Session(); return session }"),
                Sample("AuthServiceImpl", "func remember(in defaults: UserDefaults) { defaults.set(1, forKey: \"user\") }"),
            ]),
        RuleExample(
            rule: .parentState,
            bad: [
                Sample("AuthReluxImpl", reducer("state.parent.isLoading = true\nreturn .none")),
                Sample("AuthReluxImpl", reducer("state.parent?.files.remove(id: 1)\nreturn .none")),
                Sample("AuthReluxImpl", reducer("state.parent.counts[0] += 1\nreturn .none")),
                Sample("AuthReluxImpl", reducer("mark(&state.parent)\nreturn .none")),
                Sample("AuthReluxImpl", reducer("self.parent.isLoading = true\nreturn .none")),
                Sample("AuthReluxImpl", reducer("parentState.isLoading.toggle()\nreturn .none")),
                Sample("AuthReluxImpl", "struct Child: Reducer { final class State { weak var parent: Parent? } }"),
            ],
            good: [
                Sample("AuthReluxImpl", reducer("state.isLoading = true\nreturn .send(.delegate(.loadingStarted))")),
                Sample(
                    "AuthReluxImpl",
                    reducer("state.title = state.parent.title\nif state.parent.count == 1 { state.files.remove(id: 1) }\nreturn .none")),
                // A tree's parent is none of a feature's.
                Sample("AuthServiceImpl", "final class Node { weak var parent: Node?\nfunc cut() { parent.children.removeAll() } }"),
            ]),
        RuleExample(
            rule: .heldClosure,
            bad: [
                Sample("AuthReluxImpl", "final class Hook { private let body = Mutex<(@Sendable () -> Void)?>(nil) }"),
                Sample("AuthReluxImpl", "final class Hook { private let body: Synchronization.Mutex<() -> Void>\ninit() { body = .init({}) } }"),
                Sample("AuthReluxImpl", "final class Hook { private let body = Mutex<(count: Int, body: () async throws -> Int)>((0, { 1 })) }"),
                Sample("AuthReluxImpl", "final class Hook { private let body = Mutex { print(1) } }"),
                Sample("AuthReluxImpl", "final class Hook { private let body: Mutex<Optional<@MainActor (Int) -> Void>>\ninit() { body = .init(nil) } }"),
                Sample("AuthReluxImpl", "func make() -> UnsafeMutablePointer<() -> Void> { .allocate(capacity: 1) }"),
                // Under another name, and in a type of one's own.
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "struct Hooks { let body = Mutex<Auth.Handler?>(nil) }",
                    "Auth/Sources/AuthReluxInt/B.swift": "extension Auth { public typealias Handler = @Sendable (Int) -> Void }",
                ]),
                Sample("AuthReluxImpl", "struct Box<Value> { var value: Value }\nstruct Hooks { var body: Box<() -> Void> }"),
                Sample(
                    "AuthReluxImpl",
                    "final class Held<Value> { struct State { var value: Value? }\nlet state = Mutex(State()) }\nlet make: @Sendable () -> Held<() -> Void> = { Held<() -> Void>() }"
                ),
                Sample("AuthReluxImpl", "actor Held<Value> { let value: Mutex<Value>\ninit(_ value: Value) { self.value = Mutex(value) } }\nstruct Hooks { let one: Held<() -> Void> }"),
                Sample([
                    "Auth/Sources/AuthReluxImpl/A.swift": "",
                    "Auth/Tests/AuthTests/B.swift": "struct Desk { let type = Watched<(@Sendable (String) -> Void)?>(nil) }",
                ]),
            ],
            good: [
                Sample("AuthReluxImpl", "final class Hook { struct Content { var body: (() -> Void)? }\nprivate let content = Mutex(Content()) }"),
                // Elements stay as they are.
                Sample("AuthReluxImpl", "final class Hooks { private let all = Mutex<[String: [@Sendable () -> Void]]>([:]) }"),
                Sample("AuthReluxImpl", "struct Constant<Value> { let value: Value }\nstruct Hooks { let body: Constant<() -> Void> }"),
                Sample("AuthReluxImpl", "let stream = AsyncStream<@Sendable () -> Void> { $0.finish() }\nfunc count() -> Int { Mutex(3).withLock { $0 } }"),
            ]),
        RuleExample(
            rule: .delegateAnswer,
            bad: [
                // It takes its own delegate with whatever is left.
                Sample("AuthReluxImpl", feature("default: return .run { send in await send(.tapped) }")),
                Sample("AuthReluxImpl", reducer("switch action {\ncase .delegate: return .send(.delegate(.didComplete))\n}")),
                Sample(
                    "AuthReluxImpl",
                    reducer("switch action {\ncase .delegate(.didComplete):\nstate.isDone = true\nreturn .none\ndefault: return .none\n}")),
                Sample(
                    "AuthReluxImpl",
                    "struct Child: Reducer { func reduce(into state: inout State, action: Action) -> Effect<Action> {\nswitch action { case let .delegate(word): state.word = word; return .none } } }"
                ),
            ],
            good: [
                Sample("AuthReluxImpl", feature("default: return .none")),
                Sample("AuthReluxImpl", feature("case .delegate: return .none\ndefault:\nstate.count += 1\nreturn .none")),
                Sample(
                    "AuthReluxImpl",
                    reducer(
                        "switch action {\ncase .buttonTapped: return .send(.delegate(.didComplete))\ncase .delegate, .binding:\n// The parent's.\nreturn .none\n}"
                    )),
                Sample(
                    "AuthReluxImpl",
                    reducer(
                        "switch action {\ncase .child(.delegate(.didComplete)):\nstate.isDone = true\nreturn .none\ncase .other(let childAction): switch childAction { case .delegate: state.count += 1; return .none }\n}"
                    )),
            ]),
        RuleExample(
            rule: .syntax, bad: [Sample("AuthReluxImpl", "struct Half {")],
            good: [Sample("AuthReluxImpl", "func raise() throws(Failure) { do throws(Failure) { try act() } catch { throw error } }")]),
        RuleExample(
            rule: .staleWire, bad: [Sample(wire("// Written long ago.\n")), Sample(wire("extension Auth.Effect: CBORFastCodable {}\n", effect: ""))],
            good: [Sample(wire(nil)), Sample(wire(WireFile(module: "AuthReluxInt", wireSources).text))]),
        RuleExample(
            rule: .silence,
            bad: [
                Sample("AuthReluxImpl", "// lint:allow state.global\nlet plain = 1"),
                Sample("AuthReluxImpl", "// lint:allow no.such: because\nlet plain = 1"),
                Sample("AuthReluxImpl", "// lint:allow source.syntax: because\nlet plain = 1"),
            ],
            good: [
                Sample(
                    "AuthReluxImpl", "// lint:allow state.global: a process has one terminal\nprivate nonisolated(unsafe) var columns = 80")
            ]),
        RuleExample(
            rule: .staleSilence, bad: [Sample("AuthReluxImpl", "// lint:allow state.global: it once was one\nlet columns = 80")],
            good: [Sample("AuthReluxImpl", "var columns = 80  // lint:allow state.global: a process has one terminal")]),
    ]

    private static let both = "[Auth.Business.Effect.self, Notes.Business.Effect.self]"
    private static let notes = [
        "Notes/Sources/NotesReluxInt/E.swift":
            "public enum Notes { public enum Business {} }\nextension Notes.Business { public enum Effect: Relux.Effect { case add } }\nextension Notes.Business { public struct Open: Relux.Effect {} }"
    ]

    /// A domain Auth that says that it emits its own effects, beside a domain Notes.
    private static func emitting(
        _ body: String, emits: String = "[Auth.Business.Effect.self]", beside: String = ""
    ) -> Sample {
        Sample(
            [
                "Auth/Sources/AuthReluxInt/E.swift":
                    "public enum Auth { public enum Business { public enum Effect: Relux.Effect { case told }\npublic enum Action: Relux.Action { case changed } } }",
                "Auth/Sources/AuthReluxImpl/A.swift":
                    "\(beside)\nfunc tell() { \(body) }\nextension Auth { struct Module: Relux.Plugin { static var emits: [any Relux.Effect.Type]? { \(emits) } } }",
            ].merging(notes) { first, _ in first })
    }

    static let orchestration: [RuleExample] = [
        RuleExample(
            rule: .undeclaredEmission,
            bad: [
                emitting("actions { Notes.Business.Effect.add }"),
                emitting("actions { Auth.Business.Effect.told; if true { Notes.Business.Effect.add(title: \"x\") } }"),
                emitting("performAsync(delay: .seconds(1)) { Notes.Business.Effect.add }"),
                emitting("action(action: { Notes.Business.Effect.add })"),
                emitting("Relux.Dispatcher.current.actions { ready ? Notes.Business.Effect.add : Auth.Business.Effect.told }"),
                emitting("actions { Add.add }", beside: "typealias Add = Notes.Business.Effect"),
                emitting("actions { Notes.Business.Open(id: 1) }"),
                emitting("actions { Auth.Add.add }", beside: "extension Auth { typealias Add = Notes.Business.Effect }"),
                // Named first, made elsewhere in the file, or answered by one of the module's own functions.
                emitting("let effect: any Relux.Effect = Notes.Business.Effect.add; actions { effect }"),
                emitting("let effect: Notes.Business.Effect = .add(title: \"x\"); actions { effect }"),
                emitting("actions { router.open() }", beside: "struct Router { func open() -> any Relux.Action { Notes.Business.Effect.add } }"),
                emitting("actions { adding() }", beside: "func adding() -> Notes.Business.Effect { .add }"),
                emitting("actions { adding() }", beside: "func adding() -> [Notes.Business.Effect] { [.add] }"),
                emitting("actions { added }", beside: "var added: any Relux.Effect { Notes.Business.Effect.add }"),
                emitting("actions { Effect.told }", emits: "[]", beside: "extension Auth.Business { func tell() { actions { Effect.told } } }"),
                emitting("actions { Notes.Business.Effect.add }", emits: "Auth.told", beside: "extension Auth { static var told: [any Relux.Effect.Type] { [Auth.Business.Effect.self] } }"),
            ],
            good: [
                emitting("actions { Auth.Business.Effect.told }"),
                emitting("actions { Auth.Business.Action.changed; effect; router.push(.main) }"),
                emitting("actions { Notes.Business.Effect.add }", emits: both),
                emitting("actions { Notes.Business.Effect.add }", emits: "known + more"),
                emitting("actions { if case .add? = effect as? Notes.Business.Effect { Auth.Business.Effect.told } }"),
                emitting("print(Notes.Business.Effect.add)"),
                emitting("let effect = Notes.Business.Effect.add; print(effect); actions { Auth.Business.Effect.told }"),
                emitting("actions { Auth.Business.Effect.told }", beside: "func last() -> Notes.Business.Effect? { effects.last as? Notes.Business.Effect }"),
                emitting("actions { Auth.Business.Effect.told }", beside: "var heard: [any Relux.Effect.Type] { [Notes.Business.Effect.self] }"),
                Sample(["Auth/Sources/AuthReluxImpl/A.swift": "func tell() { actions { Notes.Business.Effect.add } }"].merging(notes) { first, _ in first }),
            ]),
        RuleExample(
            rule: .orchestratorState,
            bad: [
                Sample("DataOrchestrationImpl", "actor Memory: Relux.BusinessState {}"),
                Sample(
                    "DataOrchestrationImpl", "public struct Module: Relux.Module { public let states: [any Relux.AnyState] = [Memory()] }"),
                Sample(
                    "DataOrchestrationImpl", "public struct Module: Relux.Module { public var states: [any Relux.AnyState] { [Memory()] } }"
                ),
                Sample("DataOrchestrationImpl", "public struct Module { init() { self.states = [Memory()] } }"),
                Sample("DataOrchestrationImpl", "public actor Saga: Relux.Saga { private var seen: Set<String> = [] }"),
                Sample("DataOrchestrationImpl", "public final class Saga: Relux.Saga { private let seen = Mutex<Set<String>>([]) }"),
            ],
            good: [
                Sample(
                    "DataOrchestrationImpl",
                    "public struct Module: Relux.Module { public let states: [any Relux.AnyState] = []\npublic var handles: [Int]? { [1] } }\npublic actor Saga: Relux.Saga { private let clock: Clock\nprivate var now: Int { 1 } }"
                ),
                Sample("AuthReluxImpl", "actor State: Relux.BusinessState { var name = \"\" }"),
            ]),
        RuleExample(
            rule: .orchestratorResult,
            bad: [
                Sample("DataOrchestrationImpl", "public actor Saga: Relux.Flow {}"),
                Sample(
                    "DataOrchestrationImpl",
                    "extension Saga { public func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { .success } }"),
            ],
            good: [
                Sample("DataOrchestrationImpl", "public actor Saga: Relux.Saga { public func apply(_ effect: any Relux.Effect) async {} }"),
                Sample(
                    "AuthReluxImpl",
                    "actor Flow: Relux.Flow { func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { .success } }"),
            ]),
        RuleExample(
            rule: .orchestratorOrder,
            bad: [
                Sample(
                    "App",
                    "func boot() async { await Relux().register { resolve(DataOrchestration.Module.self)\nresolve(Auth.Module.self) } }")
            ],
            good: [
                Sample(
                    "App",
                    "func boot() async { await Relux().register { Navigation.Module()\nresolve(Auth.Module.self)\nDataOrchestration.Module()\nSessionOrchestration.Module() } }"
                )
            ]),
    ]

    private static func feature(_ answer: String) -> String {
        "struct Child: Reducer {\nenum Action { case tapped\ncase delegate(Delegate) }\nvar body: some ReducerOf<Self> {\n"
            + "Reduce { state, action in\nswitch action {\ncase .tapped: return .send(.delegate(.done))\n\(answer)\n}\n}\n}\n}"
    }

    private static func reducer(_ body: String) -> String {
        "struct Child: Reducer {\nvar body: some ReducerOf<Self> {\nReduce { state, action in\n\(body)\n}\n}\n}"
    }
}

// MARK: Generated coders

private let effect = "import Relux\nextension Auth { public enum Effect: Relux.Effect { case told(Auth.Fact) } }\n"
private let fact = "public enum Auth { public struct Fact: Codable { public let id: Int } }\n"
private let wireSources = [ModuleSource(module: "AuthReluxInt", text: effect), ModuleSource(module: "AuthModels", text: fact)]

/// An interface with an effect, and what is written beside it.
private func wire(_ generated: String?, effect: String = effect) -> [String: String] {
    var files = ["Auth/Sources/AuthReluxInt/Effect.swift": effect, "Auth/Sources/AuthModels/Auth.swift": fact]
    files["Auth/Sources/AuthReluxInt/Auth+Wire.generated.swift"] = generated
    return files
}
