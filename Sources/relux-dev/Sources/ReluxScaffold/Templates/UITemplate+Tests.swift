extension UITemplate {
    static let tests: [(path: String, text: String)] = [
        (
            "Tests/__D__UITests/__D__UITests.swift",
            ##"""
            import __D__ReluxInt
            @testable import __D__UI
            import __D__UIAPI
            import Relux
            import ReluxTestKit
            import Testing

            /// Against a stand-in of __D__ that says and hears what its interface has: the views know nothing more.
            @MainActor
            @Suite struct __D__UITests {
                typealias Effect = __D__.Business.Effect

                let node = Relux()
                let flow = StandIn()
                let router: __D__UIRouter

                init() async throws {
                    try await node.add(StandIn.Module(flow))
                    router = __D__UIRouter(dispatcher: node.dispatcher)
                }

                @Test func `what is typed becomes effects of __D__`() async {
                    let asked: [Effect] = [__HEARD__]
                    for line in [__TYPED__] as [String] { #expect(await router.enter(line, on: .__FIRST__) == .__FIRST__) }
                    #expect(await flow.heard == asked.map { "\($0)" })
                    #expect(router.view(for: .__FIRST__).lines.contains { $0.contains("says nothing") } == false)
                }

                @Test func `what is refused is said with the words of __D__`() async {
                    await flow.refuse("not today")
                    _ = await router.enter("__ONE__", on: .__FIRST__)
                    let said = router.view(for: .__FIRST__).lines.last ?? ""
                    #expect(said == "not today" || said.contains("says nothing"))
                }

                @Test(arguments: ["dance", "back to front", "quit now"])
                func `a line that says nothing is named and does nothing`(line: String) async {
                    #expect(await router.enter(line, on: .__FIRST__) == .__FIRST__)
                    #expect(router.view(for: .__FIRST__).lines.last?.hasPrefix("'\(line)' says nothing here") == true)
                    #expect(await flow.heard.isEmpty)
                }

                @Test func `without __D__ the view says so, and nothing traps`() async {
                    let router = __D__UIRouter(dispatcher: Relux().dispatcher)
                    let view = router.view(for: .__FIRST__)
                    #expect(view.title.contains("stale") && view.lines == ["__D__ has not spoken yet."])
                    _ = await router.enter("__ONE__", on: .__FIRST__)
                    #expect(router.view(for: .__FIRST__).lines.count == 3)
                }

                @Test func `the module asks, and handles and keeps nothing`() {
                    let module = __D__.UI.Module()
                    #expect(module.moduleID == "__D__UI" && module.states.isEmpty && module.sagas.isEmpty && module.relays.isEmpty)
                    #expect(module.handles?.isEmpty == true && module.emits?.map { $0.wireTopic } == [Effect.wireTopic])
                }
            }

            /// __D__ as its interface tells of it.
            actor StandIn: Relux.Flow {
                private(set) var heard: [String] = []
                private var refusal: String?

                func refuse(_ message: String) { refusal = message }

                func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
                    guard let effect = effect as? __D__.Business.Effect else { return .success }
                    heard.append("\(effect)")
                    if let refusal { return .failure(Relux.Failure(domain: "__D__", code: "refused", message: refusal)) }
                    return .success
                }

                struct Module: Relux.Module {
                    let moduleID: ModuleID = "__D__"
                    let states: [any Relux.AnyState]
                    let sagas: [any Relux.Saga]
                    let relays: [any Relux.StateRelaying]

                    @MainActor
                    init(_ flow: StandIn) {
                        __MAKE__
                    }
                }
            }
            """##
        ),
    ]

    /// With a picture to show.
    /// - Parameter value: a snapshot that says nothing.
    static func snapshotTests(value: String) -> (path: String, text: String) {
        (
            "Tests/__D__UITests/__D__UISnapshotTests.swift",
            ##"""
            import __D__ReluxInt
            @testable import __D__UI
            import __D__UIAPI
            import Relux
            import Testing

            @MainActor
            @Suite struct __D__UISnapshotTests {
                @Test func `what __D__ says is shown`() async throws {
                    let node = Relux()
                    try await node.add(StandIn.Module(StandIn()))
                    let relay = try #require(node.dispatcher.getRelay(for: __D__.Business.Snapshot.self))
                    let (stream, continuation) = AsyncStream.makeStream(of: __D__.Business.Snapshot.self)
                    relay.observe { continuation.yield($0) }
                    for await _ in stream { break }
                    let view = __D__UIRouter(dispatcher: node.dispatcher).view(for: .__FIRST__)
                    #expect(view.title == "__D__" && !view.lines.contains("__D__ has not spoken yet."))
                }
            }

            /// A picture in which there is nothing.
            @MainActor
            final class Picture: Relux.HybridState, SnapshotProviding {
                let current = __VALUE__

                nonisolated init() {}

                var snapshots: AsyncStream<__D__.Business.Snapshot> {
                    let (stream, continuation) = AsyncStream.makeStream(of: __D__.Business.Snapshot.self)
                    continuation.yield(current)
                    return stream
                }

                func reduce(with action: any Relux.Action) async {}
            }
            """##.replacing("__VALUE__", with: value)
        )
    }
}
