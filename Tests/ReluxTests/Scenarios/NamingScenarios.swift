import Relux
import ReluxTestKit
import Testing

private enum Auth { enum Business { enum Effect: Relux.Effect, Equatable { case logout, login(user: String) } } }
private enum Files { enum Business { enum Effect: Relux.Effect { case logout } } }

@Suite(.timeLimit(.minutes(1))) struct NamingScenarios {
    let test = TestNode()

    @Test func `Given a label and call site, when the logger prints the effect, then both are shown with the full type path; two domains' Effect.logout are told apart`()
        async throws
    {
        await test.dispatcher.actions {
            Auth.Business.Effect.logout
            Files.Business.Effect.logout
        }
        #expect(
            test.logger.entries.map(\.description) == ["Auth.Business.Effect.logout", "Files.Business.Effect.logout"])
        let line: UInt = #line + 1
        await test.dispatcher.actions(actions: { Auth.Business.Effect.login(user: "ann") }, label: "sign in")
        let entry = try #require(test.logger.entry(of: Auth.Business.Effect.login(user: "ann")))
        #expect(entry.label == "sign in")
        #expect(entry.site?.line == line)
        #expect(entry.site?.file.hasSuffix("NamingScenarios.swift") == true)
        #expect(entry.description == #"Auth.Business.Effect.login(user: ann)"#)
    }

    @Test func `Given effects with 0, 1, 2 labelled and unlabelled payloads, when shown, then names and values are as in table 1`() {
        func values(_ sample: Sample) -> [String] { Relux.EnumReflection(sample).associatedValues }
        #expect(values(.none) == [])
        #expect(values(.bare("x")) == ["x"])
        #expect(values(.one(userId: "u")) == ["userId: u"])
        #expect(values(.two(a: 1, b: "x")) == ["a: 1", "b: x"])
        #expect(values(.pair(1, "x")) == ["0: 1", "1: x"])
        #expect(Relux.EnumReflection(Sample.none).caseName == "none")
        #expect(Relux.EnumReflection(Sample.two(a: 1, b: "")).caseName == "two")
        #expect(Relux.EnumReflection(Sample.none).typePath == "Sample")
    }

    @Test func `an error that describes itself keeps the case name as its code`() {
        let failure = Relux.Failure(Wordy.diskFull)
        #expect(failure.code == "diskFull")
        #expect(failure.domain == "Wordy")
        #expect(failure.message == "no room left")
    }

    @Test(arguments: [true, false]) func `an effect whose name cannot travel is refused where it is declared, and where it is sent`(handled: Bool) async throws {
        var module = Plain("Wide")
        if handled { module.handles = [Long.Effect.self] } else { module.emits = [Long.Effect.self] }
        let error = await #expect(throws: Relux.RegistrationError.self) { try await test.relux.add(module) }
        #expect(error?.code == .unusableTopic)
        for word in ["Wide", "AnEnumWithFortyCharactersInItsNameOfWhich", "bytes, the limit is 200", "wireTopic"] {
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        }
        #expect(test.relux.modules.isEmpty)

        let result = await test.dispatcher.actions { Long.Effect.sent }
        #expect(result.codes == ["unusableTopic"])
        try await test.relux.add(MockModule(handles: [Long.Renamed.self]))
        #expect(await test.dispatcher.actions { Long.Renamed.sent }.isSuccess)
    }

    @Test @MainActor func `a relay whose snapshot's name cannot travel is refused with its module`() async {
        let module = Plain("Wide", relays: [Relux.UI.RemoteRelay<Long.Snapshot>()])
        let error = await #expect(throws: Relux.RegistrationError.self) { try await test.relux.add(module) }
        #expect(error?.code == .unusableTopic)
        #expect(error?.message.contains("snapshot type") == true, "\(error?.message ?? "")")
    }

    @Test func `a module of a generic, private or deep type has a name of its own, the same each time`() {
        let types: [any Relux.Module.Type] = [
            Boxed<Sample>.self, Boxed<Extended.Inner>.self, Boxed<Boxed<Sample>>.self, Boxed<Long.Effect>.self, Boxed<Long.Renamed>.self,
            Long.Module.self, Long.Other.Module.self,
        ]
        let names = types.map { Relux.moduleID(of: $0) }
        #expect(Set(names).count == types.count, "\(names)")
        #expect(names == types.map { Relux.moduleID(of: $0) })
        #expect(names[0] == Boxed<Sample>().moduleID)
        #expect(names.allSatisfy { $0.rawValue.utf8.count <= ModuleID.byteLimit && $0 != "invalid" })
        // No address of this run.
        #expect(names.allSatisfy { !$0.rawValue.contains("unknown") })
        #expect(names[0] == "Boxed_ReluxTests.Sample_")
        #expect(names[3].rawValue.hasPrefix("Boxed_ReluxTests.AnEnumWithForty"))
    }

    @Test func `types in extensions and generic types keep their path`() {
        #expect(Relux.typePath(of: Auth.Business.Effect.self) == "Auth.Business.Effect")
        #expect(Relux.typePath(of: Extended.Inner.self) == "Extended.Inner")
        #expect(Auth.Business.Effect.wireTopic == "Auth.Business.Effect")
    }
}

private typealias Long = AnEnumWithFortyCharactersInItsNameOfWhich.AnEnumWithFortyCharactersInItsNameOfWhich
    .AnEnumWithFortyCharactersInItsNameOfWhich.AnEnumWithFortyCharactersInItsNameOfWhich
    .AnEnumWithFortyCharactersInItsNameOfWhich
private enum AnEnumWithFortyCharactersInItsNameOfWhich {
    enum AnEnumWithFortyCharactersInItsNameOfWhich {
        enum AnEnumWithFortyCharactersInItsNameOfWhich {
            enum AnEnumWithFortyCharactersInItsNameOfWhich {
                enum AnEnumWithFortyCharactersInItsNameOfWhich {
                    enum Effect: Relux.Effect { case sent }
                    enum Renamed: Relux.Effect {
                        case sent
                        static var wireTopic: Topic { "Long.Renamed" }
                    }
                    struct Snapshot: Relux.SharedSnapshot {}
                    struct Module: Relux.Module {
                        var states: [any Relux.AnyState] { [] }
                        var sagas: [any Relux.Saga] { [] }
                    }
                    enum Other {
                        struct Module: Relux.Module {
                            var states: [any Relux.AnyState] { [] }
                            var sagas: [any Relux.Saga] { [] }
                        }
                    }
                }
            }
        }
    }
}

private struct Boxed<Content>: Relux.Module {
    var states: [any Relux.AnyState] { [] }
    var sagas: [any Relux.Saga] { [] }
}

private enum Sample { case none, bare(String), one(userId: String), two(a: Int, b: String), pair(Int, String) }

private enum Wordy: Error, CustomStringConvertible {
    case diskFull
    var description: String { "no room left" }
}

private enum Extended {}
extension Extended { fileprivate enum Inner {} }
