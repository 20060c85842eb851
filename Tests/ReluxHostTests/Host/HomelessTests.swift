@testable import Relux
@testable import ReluxHost
import ReluxWire
import Testing

@Suite struct HomelessTests {
    private func refused(at site: Relux.Site) -> Relux.RefusedDispatch {
        Relux.RefusedDispatch(module: "nobody", topic: "T", site: site, failure: .noNode)
    }

    @Test func `what finds no node is its module's whose library holds the site, whatever the Swift module is called`() throws {
        let literal = Relux.Site("Helpers/A.swift", 7, "f")
        let kib = try #require(HostRuntime.owned(refused(at: literal), by: ["Kia", "Kib"]) { _ in "/plugins/Kib/libKib.so" })
        #expect(kib.module == "Kib" && kib.failure == .noNode && kib.site == literal)
        // Where it lies is asked in truth: this library is no module's.
        let unknown = try #require(HostRuntime.owned(refused(at: literal), by: ["Kia", "Kib"]))
        #expect(unknown.module == "Kia" && unknown.failure.message.contains("in the library of none of Kia, Kib, so it counts for Kia"))
    }

    @Test func `code in a library of nobody's is its module's after which the Swift module is called, or that of the only one`() throws {
        let made = Relux.Site(file: "KibFlow/A.swift", line: 7, function: "f")
        #expect(HostRuntime.owned(refused(at: made), by: ["Ki", "Kia", "Kib"])?.module == "Kib")
        let other = Relux.Site(file: "Helpers/A.swift", line: 7, function: "f")
        let only = try #require(HostRuntime.owned(refused(at: other), by: ["Kia"]))
        #expect(only.module == "Kia" && only.failure == .noNode)
        #expect(HostRuntime.owned(refused(at: other), by: []) == nil, "no module is set up yet")
    }
}
