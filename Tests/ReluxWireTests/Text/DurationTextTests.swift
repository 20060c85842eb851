import ReluxWire
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        (.zero, "0ms"), (.milliseconds(250), "250ms"), (.nanoseconds(999_993_740), "1s"), (.seconds(1), "1s"), (.milliseconds(1250), "1.25s"),
        (.milliseconds(12_345), "12.3s"), (.milliseconds(9_999), "10s"), (.seconds(90), "90s"), (.milliseconds(123_456), "123s"), (.seconds(120), "120s"),
        (.seconds(300), "5m"), (.seconds(3600), "1h"), (.seconds(86_400), "24h"), (.seconds(3601), "3601s"), (.milliseconds(-1500), "-1.5s"),
    ] as [(Duration, String)])
    func `a duration is printed for people`(_ duration: Duration, _ text: String) { #expect(DurationText.print(duration) == text) }

    @Test(arguments: ["100ms", "30s", "5m", "24h"])
    func `what is written as the configuration has it is printed so`(_ text: String) throws {
        #expect(DurationText.print(try #require(DurationText.parse(text))) == text)
    }
}
