import ReluxWire
import Testing

@testable import Relux

@Suite struct OutstandingTests {
    /// A list of names does the same; more of them than there are bits, too.
    @Test(arguments: [0, 1, 2, 63, 64, 65, 200]) func `each settles once, however many there are`(count: Int) throws {
        let modules = try (0..<count).map { try ModuleID("M\($0)") }
        var (outstanding, left) = (Relux.Outstanding(Recipients(modules)), modules)
        #expect(outstanding.modules == left && outstanding.isEmpty == left.isEmpty)
        #expect(!outstanding.remove("Stranger") && !outstanding.contains("Stranger"))
        for module in modules.shuffled() {
            #expect(outstanding.contains(module) && outstanding.remove(module))
            left.removeAll { $0 == module }
            #expect(!outstanding.contains(module) && !outstanding.remove(module))
            #expect(outstanding.modules == left && outstanding.isEmpty == left.isEmpty)
            #expect(outstanding == Relux.Outstanding(Recipients(left)))
        }
    }
}
