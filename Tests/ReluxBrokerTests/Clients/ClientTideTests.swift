import Testing

@testable import ReluxBroker
@testable import ReluxRegistry

@Suite struct ClientTideTests {
    private static let crowd = 2000 * ClientTide.connectionBytes

    /// Whether memory is given back at each look.
    private static func looks(_ tide: inout ClientTide, _ bytes: [Int]) -> [Bool] { bytes.map { tide.look($0) } }

    @Test func `what a crowd has left goes back when no more of it leaves, and once more for what libzmq held for a second`() {
        var tide = ClientTide()
        #expect(tide.isStill(0) && !tide.isStill(ClientTide.connectionBytes))
        let looks = Self.looks(&tide, [0, Self.crowd, Self.crowd / 2, 0, 0, 0])
        #expect(looks == [false, false, false, false, true, true])
        #expect(tide.isStill(0))
        #expect(Self.looks(&tide, [0]) == [false])
    }

    @Test func `what came and went between two looks counts too`() {
        var tide = ClientTide()
        #expect(Self.looks(&tide, [0]) == [false])
        tide.rise(to: 32 << 20)
        #expect(!tide.isStill(0))
        #expect(Self.looks(&tide, [0, 0, 0]) == [true, true, false])
    }

    @Test func `clients that come and go one by one cost no time for it`() {
        var tide = ClientTide()
        #expect(!Self.looks(&tide, (0..<1000).map { $0 % 3 * ClientTide.connectionBytes }).contains(true))
    }

    @Test func `a second crowd is a crowd again, and half of one too`() {
        var tide = ClientTide()
        for left in [0, Self.crowd / 2] {
            #expect(Self.looks(&tide, [Self.crowd, left, left, left, left]) == [false, false, true, true, false])
        }
    }
}
