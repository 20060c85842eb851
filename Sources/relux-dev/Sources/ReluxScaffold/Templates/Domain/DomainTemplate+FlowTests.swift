extension DomainTemplate {
    static let flowTests: [(path: String, text: String)] = [
        (
            "Tests/__D__Tests/__D__FlowTests.swift",
            ##"""
            import NavigationModels
            import NavigationReluxInt
            import Relux
            import ReluxIoC
            import ReluxTestKit
            import ReluxTestTraits
            import Testing
            import __D__Models
            @testable import __D__ReluxImpl
            import __D__ReluxInt
            import __D__ServiceImpl
            import __D__ServiceInt
            import __D__TestSupport

            @MainActor
            @Suite(.noRefusals) struct __D__FlowTests {
                typealias Effect = __D__.Business.Effect
                typealias Item = __D__.Business.Model.Item
                typealias Router = __D__.Business.RouterStub

                let one = Item(id: 1, title: "one")
                let service: __D__.Business.ServiceMock
                let recorder = RecordingLogger()
                let node: Relux

                init() async throws {
                    service = __D__.Business.ServiceMock(items: [one])
                    node = Relux(logger: recorder)
                    let ioc = __D__.Module.buildIoC(router: Router(), directory: "/nowhere")
                    ioc.register((any __D__.Business.IService).self, withReplacement: true) { [service] in service }
                    try await node.add(__D__.Module(ioc: ioc))
                }

                var state: __D__.Business.Snapshot? { node.store.getState(__D__.Business.State.self)?.current }

                @Test func `loaded items are shown, told and answered`() async {
                    let result = await node.dispatcher.actions { Effect.load }
                    #expect(result.value([Item].self, from: "__D__") == [one])
                    #expect(state == .init(items: [one], failure: nil))
                    #expect(recorder.told("__D__.Business.Effect.itemsChanged") == 1)
                }

                @Test func `an added item is kept and shown`() async {
                    let result = await node.dispatcher.actions { Effect.add(title: "two") }
                    #expect(result.value([Item].self, from: "__D__")?.map(\.title) == ["one", "two"])
                    #expect(service.calls == [.add(title: "two")])
                    #expect(state?.items.count == 2)
                }

                @Test func `a failure is told, leaves the items, and is tracked only if the user cannot help it`() async {
                    await node.dispatcher.actions { Effect.load }
                    service.fail(.init(code: .invalidTitle, message: "too long"))
                    let refused = await node.dispatcher.actions { Effect.add(title: "long") }
                    #expect(refused.failures.map(\.code) == ["invalidTitle"])
                    #expect(recorder.told("ErrorHandling.Business.Effect.track") == 0)
                    service.fail(.init(code: .storage, message: "no disk"))
                    await node.dispatcher.actions { Effect.load }
                    #expect(state?.items == [one] && state?.failure?.message == "no disk")
                    #expect(recorder.told("__D__.Business.Effect.itemsFailed") == 2)
                    #expect(recorder.told("ErrorHandling.Business.Effect.track") == 1)
                }

                @Test func `the page of the items is asked of the router`() async {
                    await node.dispatcher.actions { Effect.show }
                    #expect(recorder.all(Router.Action.self) == [.set(.list)])
                    #expect(__D__.RouterAdapter().set__D__Page(.list) is Navigation.Business.Effect)
                }

                @Test func `effects survive the way to the bus and back`() throws {
                    let back = try CBOR.decode(Effect.self, from: CBOR.encode(Effect.itemsChanged(items: [one])))
                    guard case .itemsChanged([one]) = back else {
                        Issue.record("\(back)")
                        return
                    }
                }

                @Test func `the module with its real service keeps an item`() async throws {
                    let directory = TemporaryDirectory()
                    let ioc = __D__.Module.buildIoC(router: __D__.RouterAdapter(), directory: directory.path)
                    #expect(ioc.refusals.isEmpty)
                    let module = try __D__.Module(ioc: ioc)
                    #expect(module.moduleID == "__D__")
                    let node = Relux()
                    try await node.add(module)
                    let result = await node.dispatcher.actions { Effect.add(title: "one") }
                    #expect(result.value([Item].self, from: "__D__") == [one])
                    #expect(try await __D__.Business.Service(directory: directory.path).items() == [one])
                }

                @Test func `the module with mock services keeps an item without a disk`() async throws {
                    let node = Relux()
                    try await node.add(IoC.with(services: .mock) { try __D__.Module(directory: "/dev/null/nowhere") })
                    let result = await node.dispatcher.actions { Effect.add(title: "one") }
                    #expect(result.value([Item].self, from: "__D__") == [one])
                }

                @Test func `without a router there is no module`() {
                    #expect(throws: (any Error).self) { try __D__.Module(router: nil) }
                }
            }
            """##
        ),
    ]
}
