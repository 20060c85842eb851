extension DomainTemplate {
    static let tests: [(path: String, text: String)] = [
        (
            "Tests/__D__Tests/__D__PluginTests.swift",
            ##"""
            import ErrorHandlingReluxInt
            import NavigationReluxInt
            import __D__Models
            @testable import __D__ReluxImpl
            import __D__ReluxInt
            import Relux
            import ReluxPlugin
            import Testing

            @Suite struct __D__PluginTests {
                @MainActor
                @Test func `the declaration says what the module does`() {
                    let module = __D__.Module()
                    let declaration = __D__.declaration
                    #expect(declaration.id == module.moduleID)
                    #expect(declaration.handles == module.handles?.map { $0.wireTopic })
                    #expect(declaration.emits == module.emits?.map { $0.wireTopic })
                    #expect(declaration.provides == module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
                    #expect(declaration.states == module.states.map { name(of: $0) })
                    #expect(declaration.flows == module.sagas.filter { $0 is any Relux.Flow }.map { name(of: $0) })
                }

                @MainActor
                @Test func `the entry point hands over a box that makes the module`() async throws {
                    let box = Unmanaged<PluginBox>.fromOpaque(pluginMain()).takeRetainedValue()
                    #expect(box.declaration == __D__.declaration)
                    #expect(try await box.make() is __D__.Module)
                }

                /// The type's path without the Swift module.
                private func name(of object: AnyObject) -> String {
                    String(reflecting: type(of: object)).split(separator: ".").dropFirst().joined(separator: ".")
                        .replacing("(extension in __D__ReluxImpl):", with: "")
                }
            }
            """##
        ),
        (
            "Tests/__D__Tests/__D__ServiceTests.swift",
            ##"""
            import Testing
            import __D__Models
            import __D__ServiceImpl

            @Suite struct __D__ServiceTests {
                typealias Failure = __D__.Business.Model.Failure
                typealias Item = __D__.Business.Model.Item
                let service = __D__.Business.Service()

                @Test func `items are kept in the order in which they came`() async throws {
                    #expect(try await service.items().isEmpty)
                    _ = try await service.add(title: "one")
                    #expect(try await service.add(title: "two") == [Item(id: 1, title: "one"), Item(id: 2, title: "two")])
                    #expect(try await service.items().map(\.title) == ["one", "two"])
                }

                @Test(arguments: ["", String(repeating: "x", count: 65)])
                func `a title that is too short or too long is refused with its length`(title: String) async throws {
                    let failure = await #expect(throws: Failure.self) { try await service.add(title: title) }
                    #expect(failure?.code == .invalidTitle)
                    #expect(failure?.message.contains("\(title.count) characters; use 1 to 64") == true)
                    #expect(try await service.items().isEmpty)
                }
            }
            """##
        ),
        (
            "Tests/__D__Tests/__D__FlowTests.swift",
            ##"""
            import NavigationModels
            import NavigationReluxInt
            import Relux
            import ReluxIoC
            import ReluxTestKit
            import Testing
            import __D__Models
            @testable import __D__ReluxImpl
            import __D__ReluxInt
            import __D__ServiceImpl
            import __D__ServiceInt
            import __D__TestSupport

            @MainActor
            @Suite struct __D__FlowTests {
                typealias Effect = __D__.Business.Effect
                typealias Item = __D__.Business.Model.Item
                typealias Router = __D__.Business.RouterStub

                let one = Item(id: 1, title: "one")
                let service: __D__.Business.ServiceMock
                let recorder = RecordingLogger()
                let node: Relux

                init() async {
                    service = __D__.Business.ServiceMock(items: [one])
                    node = Relux(logger: recorder)
                    let ioc = __D__.Module.buildIoC(router: Router())
                    ioc.register((any __D__.Business.IService).self, withReplacement: true) { [service] in service }
                    let module = __D__.Module(ioc: ioc)
                    await node.register { module }
                }

                var state: __D__.Business.Snapshot? { node.store.getState(__D__.Business.State.self)?.current }

                /// What was dispatched, as a log shows it.
                var log: [String] { recorder.entries.map(\.description) }

                func told(_ name: String) -> Int {
                    log.filter { $0.hasPrefix("__D__.Business.Effect.\(name)(") }.count
                }

                @Test func `loaded items are shown, told and answered`() async {
                    let result = await node.dispatcher.actions { Effect.load }
                    #expect(result.value([Item].self, from: "__D__") == [one])
                    #expect(state == .init(items: [one], failure: nil))
                    #expect(told("itemsChanged") == 1)
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
                    #expect(!log.contains { $0.hasPrefix("ErrorHandling.Business.Effect.track") })
                    service.fail(.init(code: .storage, message: "no disk"))
                    await node.dispatcher.actions { Effect.load }
                    #expect(state?.items == [one] && state?.failure?.message == "no disk")
                    #expect(told("itemsFailed") == 2)
                    #expect(log.contains { $0.hasPrefix("ErrorHandling.Business.Effect.track") })
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
                    let ioc = __D__.Module.buildIoC(router: __D__.RouterAdapter())
                    #expect(ioc.refusals.isEmpty)
                    let module = __D__.Module(ioc: ioc)
                    #expect(module.moduleID == "__D__")
                    let node = Relux()
                    try await node.add(module)
                    let result = await node.dispatcher.actions { Effect.add(title: "one") }
                    #expect(result.value([Item].self, from: "__D__") == [one])
                }
            }
            """##
        ),
    ]
}
