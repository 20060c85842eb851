import Foundation
@testable import ReluxCLI
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct SDKCommandTests {
    private let scratch = TemporaryDirectory(isMade: true)

    private func run(_ arguments: String..., environment: [String: String] = [:]) -> (status: ReluxCLI.ExitStatus, out: String, talk: String) {
        let console = TestConsole()
        let status = console.run(arguments, directory: scratch.path, environment: ["HOME": scratch.path].merging(environment) { $1 })
        return (status, console.out, console.talk)
    }

    @Test func `the one that is meant is named by the flag, else by the variable`() throws {
        let (one, two) = (scratch.file("one"), scratch.file("two"))
        for folder in [one, two] { try Demo.writeSDK(folder) }
        #expect(
            run("sdk", "--sdk", "one").out == """
                sdk         \(one)
                relux       0.9.0, runtime relux_abi_0
                compiler    Swift 6, x86_64-unknown-linux-gnu
                interfaces  none
                """)
        #expect(run("sdk", "show", "-o", "name", environment: ["RELUX_SDK": two]).out == two)
        #expect(run("sdk", "show", "--sdk", one, "-o", "jsonpath={.folder} {.schema} {.interfaces}", environment: ["RELUX_SDK": two]).out == "\(one) relux.sdk/1 []")
        #expect(run("sdk", "export", "copy", environment: ["RELUX_SDK": two]).out.hasPrefix("sdk         \(scratch.file("copy"))\n"))
    }

    @Test func `what is none, is missing or is something else is an error with the remedy`() throws {
        let missing = run("sdk")
        #expect(missing.status == .notFound && missing.talk.contains("relux sdk export DIR"), "\(missing)")
        let none = run("sdk", "--sdk", ".")
        #expect(none.status == .failed && none.talk.contains("\(scratch.path) is no SDK") && none.talk.contains("sdk.json is missing"), "\(none)")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: scratch.file("sdk.json")))
        #expect(run("sdk", "--sdk", ".").talk.contains("is no relux.sdk/1"))
        try Demo.writeSDK(scratch.file("one"))
        let both = run("sdk", "export", "x", "--sdk", "one", "--build", "b")
        #expect(both.status == .usage && both.talk.contains("leave one of them out"), "\(both)")
        let unbuilt = run("sdk", "export", "x", "--build", "b")
        #expect(unbuilt.status == .failed && unbuilt.talk.contains("--target ReluxSDK"), "\(unbuilt)")
        let packed = try Demo.pack("Auth", "1.0.0", in: scratch.path)
        let added = run("sdk", "add", "Auth", "--sdk", "one", "--packed", "packed")
        #expect(added.status == .failed && added.talk.contains("\(packed) has no interface"), "\(added)")
        let unknown = run("sdk", "add", "Nobody", "--sdk", "one", "--packed", "packed")
        #expect(unknown.status == .failed && unknown.talk.contains("relux module pack"), "\(unknown)")
        #expect(run("sdk", "add", "--sdk", "one").status == .usage)
    }
}
