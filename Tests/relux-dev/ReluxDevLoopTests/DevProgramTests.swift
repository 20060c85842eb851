import Foundation
import Glibc
@testable import ReluxDevLoop
import Testing

/// `relux-dev dev` as a person has it, with a script in the place of `swift`.
@Suite struct DevProgramTests {
    let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        for name in ["Package.swift", "Sources/AReluxImpl/A.swift"] { try sandbox.write(name) }
        // `relux`, too, is not the real one: it is found in PATH before anything is asked of it.
        try sandbox.write("bin/relux", "#!/bin/sh\nexit 4\n")
    }

    private func start(_ arguments: [String], log: String) throws -> (StepProcess, AsyncStream<Int32>) {
        let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let (ends, yield) = AsyncStream.makeStream(of: Int32.self)
        let command = StepCommand(
            ["/usr/bin/env", "PATH=\(sandbox.path)/bin:/usr/bin:/bin", "\(tool)/relux-dev", "dev", sandbox.path] + arguments)
        let process = try StepProcess(command, log: log) { status in
            yield.yield(status)
            yield.finish()
        }
        return (process, ends)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [SIGINT, SIGTERM])
    func `a signal ends it with all that it has started`(signal: Int32) async throws {
        let pipe = try NamedPipe(sandbox.path + "/pipe")
        try sandbox.write("bin/swift", "#!/bin/sh\nexec 3>\(pipe.path)\necho $0 begins >&3\nsetsid sleep 1000 &\nsleep 1000\n")
        // Opened twice: the first reader ends with the first line, the second one with the last process. The second one is opened as long as
        // the first one can write, too: who only reads would wait for a writer, and there may never be one again.
        let reader = try pipe.open(O_RDWR)
        let end = try pipe.open(O_RDONLY)
        let (process, ends) = try start([], log: sandbox.path + "/log")
        let begun = try await offPool { reader.availableData }
        #expect(String(decoding: begun, as: UTF8.self).hasSuffix("begins\n"))
        try reader.close()
        kill(process.pid, signal)
        for await status in ends { #expect(status == 130, "\(sandbox.text("log"))") }
        #expect(try await offPool { NamedPipe.readToEnd(end) } == "")
        #expect(sandbox.text("log").hasPrefix("A, round 1\n"))
    }

    @Test func `a build that fails ends it with 1, and its error is shown`() async throws {
        try sandbox.write("bin/swift", "#!/bin/sh\necho '/w/A.swift:1:1: error: no'\nexit 70\n")
        let (_, ends) = try start(["--once", "--json"], log: sandbox.path + "/log")
        for await status in ends { #expect(status == 1) }
        let lines = sandbox.text("log").split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""schema":"relux.dev/1""#) }, "\(lines)")
        #expect(lines.dropFirst().first?.contains(#""errors":["/w/A.swift:1:1: error: no"]"#) == true)
    }

    @Test func `a report that cannot be written ends it, and what it has started`() async throws {
        try sandbox.write("bin/swift", "#!/bin/sh\nexec sleep 1000\n")
        let (_, ends) = try start([], log: "/dev/full")
        for await status in ends { #expect(status == 74) }
    }

    @Test func `coders that are there follow their types before the build, and half a type leaves them as they are`() async throws {
        // The package manager only reads the manifest; its build shows what the coders are by then.
        let coders = try sandbox.write("Sources/AReluxInt/A+Wire.generated.swift", "")
        let real = try #require(Sandbox.program("swift"))
        try sandbox.write("bin/swift", "#!/bin/sh\n[ $1 = package ] && exec \(real) \"$@\"\ngrep -o 'case .rained' \(coders)\nexit 70\n")
        try sandbox.write(
            "Package.swift",
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(name: "A", targets: [.target(name: "AReluxInt"), .target(name: "AReluxImpl")])
            """)
        let effect = "import Relux\nenum A { enum Effect: Relux.Effect { case rained(Int) } }\n"
        try sandbox.write("Sources/AReluxInt/A.swift", effect)
        let (_, ends) = try start(["--once", "--no-test"], log: sandbox.path + "/log")
        for await status in ends { #expect(status == 1) }
        let log = sandbox.text("log")
        #expect(log.contains("A+Wire.generated.swift: changed\n  build "), "\(log)")
        #expect(log.contains("      case .rained"), "\(log)")
        let written = sandbox.text("Sources/AReluxInt/A+Wire.generated.swift")

        try sandbox.write("Sources/AReluxInt/A.swift", "import Relux\nenum A { enum Effect: Relux.Effect { case\n")
        let (_, others) = try start(["--once", "--no-test"], log: sandbox.path + "/log")
        for await status in others { #expect(status == 1) }
        #expect(sandbox.text("log").contains("/A.swift:"), "\(sandbox.text("log"))")
        #expect(sandbox.text("log").contains("does not parse") && !sandbox.text("log").contains("  build "), "\(sandbox.text("log"))")
        #expect(sandbox.text("Sources/AReluxInt/A+Wire.generated.swift") == written && !written.isEmpty)
    }

    @Test func `what is no plugin ends it with 2, and nowhere with 3`() async throws {
        let (_, ends) = try start(["--frob"], log: sandbox.path + "/log")
        for await status in ends { #expect(status == 2) }
        try FileManager.default.removeItem(atPath: sandbox.path + "/Package.swift")
        let (_, others) = try start(["--json"], log: sandbox.path + "/log")
        for await status in others { #expect(status == 3) }
        #expect(sandbox.text("log").contains(#""code":"dev.noPackage""#))
    }
}
