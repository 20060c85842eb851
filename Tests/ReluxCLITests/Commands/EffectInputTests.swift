import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

/// The input of `relux effect send`, as it is read before anything is emitted.
@Suite struct EffectInputTests {
    private let scratch: TemporaryDirectory
    private let broker: FakeBroker

    init() throws {
        scratch = TemporaryDirectory(isMade: true)
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

    @Test(arguments: [
        ("9223372036854775808", "a whole number from 0 to 255, not the number 9223372036854775808"), ("256", "from 0 to 255, not the number 256"),
        ("1.5", "without a fraction or an exponent, not the number 1.5"), ("1e3", "without a fraction or an exponent, not the number 1000.0"),
    ])
    func `a number that does not fit is named with its value and the limit`(_ number: String, _ words: String) {
        let ended = send(["Auth.Business.Effect.configure", "{\"attempts\": \(number), \"users\": []}"])
        #expect(ended.status == .usage && ended.talk.contains(words), "\(ended)")
    }

    @Test(arguments: ["256", "1e3", "\"x\""])
    func `of a secret nothing is named that it is`(_ value: String) {
        let ended = send(["Auth.Business.Effect.bounded", "{\"pin\": \(value)}"])
        #expect(ended.status == .usage && ended.talk.contains("the field 'pin'"), "\(ended)")
        #expect(!ended.talk.contains("256") && !ended.talk.contains("1000") && !ended.talk.contains("\"x\""), "\(ended)")
    }

    @Test(arguments: ["Plain.Business.Effect.go", "Plain.Business.Effect"])
    func `an effect that a module handles and nobody has a contract of is told from one that nobody has`(_ effect: String) throws {
        let contracts = try Demo.contracts()
        var status = Demo.status
        status.modules[0].handles.append("Plain.Business.Effect")
        let (told, scratch) = (status, TemporaryDirectory(isMade: true))
        let broker = try FakeBroker(run: scratch.path) { request in
            switch request {
            case .status: .status(told)
            case .contracts: contracts
            default: nil
            }
        }
        let console = TestConsole()
        #expect(console.run(["effect", "send", "--dry-run", "--run", scratch.path, effect]) == .notFound)
        #expect(console.talk.contains("Auth handles Plain.Business.Effect, and no module has a contract of it"), "\(console.talk)")
        #expect(console.talk.contains("interface library") && !console.talk.contains("did you mean"), "\(console.talk)")
        withExtendedLifetime(broker) {}
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
