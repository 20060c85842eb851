import Foundation
import ReluxBus
@testable import ReluxCLI
import ReluxWire
import Testing

/// What `relux effect send` makes of its input before it emits anything.
@Suite struct EffectInputTests {
    private let scratch: Scratch
    private let broker: FakeBroker

    init() throws {
        scratch = try Scratch()
        let contracts = try Demo.contracts()
        broker = try FakeBroker(run: scratch.path) { request in
            switch request {
            case .status: .status(Demo.status)
            case .contracts: contracts
            default: nil
            }
        }
        try ClusterSealer.makeKeyFile(broker.directory.key)
    }

    private func send(_ arguments: [String], input: [String] = []) -> (status: ReluxCLI.ExitStatus, talk: String) {
        let console = TestConsole(input: input)
        return (console.run(["effect", "send", "--dry-run", "--run", scratch.path] + arguments), console.talk)
    }

    @Test func `a byte order mark before the JSON says that it is UTF-8, and is no part of it`() {
        let json = "\u{FEFF}{\"attempts\": 3, \"users\": []}"
        #expect(send(["Auth.Business.Effect.configure", json]).status == .ok)
        #expect(send(["Auth.Business.Effect.configure", "-"], input: [json]).status == .ok)
        #expect(send(["Auth.Business.Effect.configure", "{\u{FEFF}}"]).status == .usage, "anywhere else it is no JSON")
    }

    @Test func `a byte order mark in a secret is refused, for nobody would see it there`() {
        let ended = send(["Auth.Business.Effect.login", #"{"email": "a"}"#, "--secret", "password"], input: ["\u{FEFF}correct-horse"])
        #expect(ended.status == .usage && ended.talk.contains("the value of 'password' begins with a byte order mark"), "\(ended)")
        #expect(send(["Auth.Business.Effect.login", #"{"email": "a"}"#, "--secret", "password"], input: ["correct-horse"]).status == .ok)
    }

    @Test(arguments: [["correct-horse"], []])
    func `a secret of a field that the effect does not have is refused with the nearest, before its value is read`(input: [String]) {
        let ended = send(["Auth.Business.Effect.login", #"{"email": "a"}"#, "--secret", "pasword"], input: input)
        #expect(ended.status == .usage && ended.talk.contains("Auth.Business.Effect.login has no field 'pasword'"), "\(ended)")
        #expect(ended.talk.contains("did you mean 'password'?") && !ended.talk.contains("correct-horse"), "\(ended)")
    }
}
