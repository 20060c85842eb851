import Foundation

extension DomainScaffold {
    /// The same domain with a schedule, and a test that turns the clock.
    static func schedule(_ whole: Scaffold, _ name: ModuleName) -> Scaffold {
        let (domain, words) = (name.text, ["__D__": name.text])
        var files = whole.files
        let module = "Sources/\(domain)ReluxImpl/\(domain)+Module.swift"
        files[module] = files[module].map { text in
            let provides = text.components(separatedBy: "\n").first { $0.contains("static var provides:") } ?? ""
            let indent = String(provides.prefix { $0 == " " })
            let lines = filled(DomainTemplate.schedule, words).split(separator: "\n").map { indent + $0 }
            return text.replacing(provides, with: ([provides] + lines).joined(separator: "\n"))
        }
        let tests = "Tests/\(domain)Tests/\(domain)FlowTests.swift"
        files[tests] = files[tests].map { text in
            text.replacing("node = Relux(logger: recorder)", with: "node = Relux(logger: recorder, clock: clock.nodeClock)")
                .replacing("    let recorder = RecordingLogger()\n", with: "    let clock = ManualClock()\n    let recorder = RecordingLogger()\n")
                .replacing(
                    "    @Test func `an added item is kept", with: filled(DomainTemplate.scheduleTest, words) + "\n    @Test func `an added item is kept")
        }
        var checklist = whole.checklist
        checklist.insert(
            .init(text: "\(domain).Module.schedules: what it does by the clock, and how often", isDone: false),
            at: (checklist.lastIndex(where: \.isDone) ?? -1) + 1)
        return Scaffold(files: files, checklist: checklist)
    }
}
