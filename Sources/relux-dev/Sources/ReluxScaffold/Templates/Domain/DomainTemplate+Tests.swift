extension DomainTemplate {
    static let tests: [(path: String, text: String)] = [
        (
            "Tests/__D__Tests/__D__ServiceTests.swift",
            ##"""
            import ReluxTestKit
            import Testing
            import __D__Models
            import __D__ServiceImpl
            import __D__ServiceInt

            @Suite struct __D__ServiceTests {
                typealias Failure = __D__.Business.Model.Failure
                typealias Item = __D__.Business.Model.Item
                let directory = TemporaryDirectory()

                func service(_ kind: String) -> any __D__.Business.IService {
                    kind == "disk" ? __D__.Business.Service(directory: directory.path) : __D__.Business.ServiceInMemory()
                }

                @Test(arguments: ["disk", "memory"])
                func `items are kept in the order in which they came`(kind: String) async throws {
                    let service = service(kind)
                    #expect(try await service.items().isEmpty)
                    _ = try await service.add(title: "one")
                    #expect(try await service.add(title: "two") == [Item(id: 1, title: "one"), Item(id: 2, title: "two")])
                    #expect(try await service.items().map(\.title) == ["one", "two"])
                }

                @Test(arguments: ["disk", "memory"], ["", String(repeating: "x", count: 65)])
                func `a title that is too short or too long is refused with its length`(kind: String, title: String) async throws {
                    let service = service(kind)
                    let failure = await #expect(throws: Failure.self) { try await service.add(title: title) }
                    #expect(failure?.code == .invalidTitle)
                    #expect(failure?.message.contains("\(title.count) characters; use 1 to 64") == true)
                    #expect(try await service.items().isEmpty)
                }

                @Test func `what is on disk is there for the next process`() async throws {
                    _ = try await service("disk").add(title: "one")
                    #expect(try await service("disk").items() == [Item(id: 1, title: "one")])
                }

                @Test func `a directory that cannot be made is an answer that names it`() async {
                    let service = __D__.Business.Service(directory: "/dev/null/__d__")
                    let failure = await #expect(throws: Failure.self) { try await service.add(title: "one") }
                    #expect(failure?.code == .storage)
                    #expect(failure?.message.contains("/dev/null/__d__") == true)
                }
            }
            """##
        ),
    ]
}
