@testable import ReluxWire
import Testing

@Suite struct RecipientsTests {
    @Test(arguments: [0, 1, 2, 3, 64, 65, 1000]) func `a list has its modules in order, and is equal to the same one and to no other`(count: Int) throws {
        let modules = try (0..<count).map { try ModuleID("Recipient\($0)") }
        let list = Recipients(modules)
        #expect(Array(list) == modules && list.count == count && list.isEmpty == (count == 0))
        #expect(list == Recipients(modules) && list.hashValue == Recipients(modules).hashValue)
        #expect(list != Recipients(modules + ["Further"]))
        if count > 1 { #expect(list != Recipients(modules.reversed())) }
        if count > 0 { #expect(list != Recipients(modules.dropLast())) }
    }

    @Test func `the list of one module is the same however it is made`() throws {
        #expect(Recipients("Alone") == Recipients(["Alone"]) && Recipients("Alone") != Recipients("Other"))
        #expect(Array(Recipients("Alone")) == ["Alone"] && Recipients() == [])
    }

    @Test func `lists that many tasks make at once are one`() async throws {
        let lists = await withTaskGroup(of: [Recipients].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).map { number in
                        let module = ModuleID(rawValue: "Both\(number)") ?? "Both"
                        return number % 2 == 0 ? [module, "Sides"] : [module]
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for list in lists.dropFirst() { #expect(list == lists[0]) }
    }

    @Test func `the stream of a module's settlements is one, and knows its module, whoever asks first`() async throws {
        let topics = await withTaskGroup(of: [Topic].self) { group in
            for _ in 0..<8 { group.addTask { (0..<200).map { Topic.settlements(of: ModuleID(rawValue: "Asked\($0)") ?? "Asked") } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for asked in topics { #expect(asked == topics[0]) }
        for (index, topic) in topics[0].enumerated() { #expect(topic.settledPublisher?.rawValue == "Asked\(index)") }
    }
}
