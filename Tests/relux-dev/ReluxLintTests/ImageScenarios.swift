import Foundation
import ReluxLayers
@testable import ReluxLint
import Testing

@Suite struct ImageScenarios {
    @Test func `Given a built domain, when libraries are inspected, then each marker symbol of Models is defined exactly once`() throws {
        let images = try ImageCheck(folder: Checkout.build)
        #expect(images.findings().isEmpty, "\(images.findings())")
        for domain in ["Auth", "Notes"] { #expect(images.markers[domain, default: 0] > 3) }
    }

    @Test func `a second copy is found in the library that has it`() {
        let models: Set = ["$s10AuthModels0A0OMn", "$s10AuthModels7AccountVMn"]
        let sound = ImageCheck(descriptors: [
            "build/libAuthModels.so": models,
            // A type that the interface nests into one of the models is the interface's own.
            "build/libAuthReluxInt.so": ["$s10AuthModels0A0O0A8ReluxIntE8BusinessO6EffectOMn"],
        ])
        #expect(sound.findings().isEmpty)
        #expect(sound.markers == ["Auth": 2])
        let copied = ImageCheck(descriptors: [
            "build/libAuthModels.so": models, "build/libAuthReluxImpl.so": models.union(["$s13AuthReluxImpl5StateCMn"]),
        ])
        #expect(copied.findings().map(\.place.file) == ["build/libAuthReluxImpl.so"])
        #expect(copied.findings().map(\.rule) == [.image])
        #expect(ImageCheck(descriptors: ["build/libAuthModels.so": []]).findings().map(\.place.file) == ["build/libAuthModels.so"])
    }

    @Test func `a type of any layer, and of the core, is found where it is a second time`() {
        let twice = ImageCheck(descriptors: [
            "build/libAuthModels.so": ["$s10AuthModels0A0OMn"], "build/libAuthReluxInt.so": ["$s12AuthReluxInt6EffectOMn"],
            "build/libAuthReluxImpl.so": ["$s12AuthReluxInt6EffectOMn", "$s5Relux5StoreCMn"], "build/libRelux.so": ["$s5Relux5StoreCMn"],
        ])
        #expect(twice.findings().map { "\($0.place.file) \($0.message)" } == [
            "build/libAuthReluxImpl.so it defines $s12AuthReluxInt6EffectOMn a second time, after build/libAuthReluxInt.so",
            "build/libAuthReluxImpl.so it defines $s5Relux5StoreCMn a second time, after build/libRelux.so",
        ])
    }

    /// The findings in libraries with these needed entries, as `library rule`.
    private func linked(_ needed: [String: [String]], infrastructure: [String: Bool] = [:]) -> [String] {
        let models = ImageCheck(
            descriptors: [:], needed: Dictionary(uniqueKeysWithValues: needed.map { ("b/lib\($0.key).so", $0.value.map { "lib\($0).so" }) }))
        return models.findings(infrastructure: infrastructure).map { "\(ImageCheck.stem($0.place.file)) \($0.rule.id)" }
    }

    @Test func `who links whom is judged as in the sources, through libraries that no rule speaks of too`() {
        let sound = [
            "Relux": ["swiftCore"], "AuthModels": ["swiftCore"], "AuthReluxInt": ["AuthModels", "Relux"], "AuthServiceInt": ["AuthModels"],
            "AuthServiceImpl": ["AuthModels", "AuthServiceInt", "GRDB-dynamic", "sqlite3", "Foundation"],
            "AuthReluxImpl": ["AuthReluxInt", "AuthServiceImpl", "LogReluxInt", "Relux"], "AuthKit": ["AuthReluxInt", "AuthModels", "Relux"],
            "LogReluxInt": ["Relux"], "LogModels": [], "NotesReluxInt": ["Relux"], "NotesModels": [],
            "DataOrchestration": ["AuthReluxInt", "AuthModels", "NotesReluxInt", "LogReluxInt"],
            "AuthUI": ["AuthReluxInt", "AuthUIAPI", "Relux"], "AuthUIAPI": ["AuthReluxInt"], "AppUI": ["AuthReluxInt", "NotesReluxInt"],
        ]
        let kinds = ["Auth": false, "Notes": false, "Log": true]
        #expect(linked(sound, infrastructure: kinds).isEmpty, "\(linked(sound, infrastructure: kinds))")
        for (library, others, found) in [
            ("AuthServiceImpl", ["Relux"], "layer.serviceImpl"), ("AuthModels", ["Relux"], "layer.models"),
            ("AuthReluxInt", ["AuthServiceImpl"], "layer.reluxInt"), ("AuthUI", ["AuthReluxImpl"], "layer.ui"),
            ("AppUI", ["AuthServiceImpl"], "layer.ui"), ("AuthKit", ["AuthReluxImpl"], "layer.kit"), ("AuthReluxImpl", ["AuthUI"], "layer.reluxImpl"),
            ("DataOrchestration", ["AuthReluxImpl"], "layer.implToImpl"), ("DataOrchestration", ["AuthServiceInt"], "layer.serviceInterface"),
            ("AuthReluxImpl", ["NotesReluxInt"], "layer.domainToDomain"), ("LogReluxInt", ["AuthReluxInt"], "layer.reluxInt"),
            ("AuthReluxImpl", ["DataOrchestration"], "layer.toOrchestrator"),
            // Through the domain's own helper, and one of nobody's.
            ("AuthServiceImpl", ["AuthCrypto"], "layer.serviceImpl"), ("AuthUI", ["fancy"], "layer.ui"),
        ] {
            let bad = sound.merging([library: others, "AuthCrypto": ["AuthReluxInt"], "fancy": ["AuthReluxImpl"]]) { $1 }
            #expect(linked(bad, infrastructure: kinds).contains("\(library) \(found)"), "\(library) \(others)")
        }
        // Without sources nobody knows which of two domains is infrastructure.
        #expect(linked(sound.merging(["AuthReluxImpl": ["NotesReluxInt"]]) { $1 }).isEmpty)
    }

    @Test func `a folder without models is an error with its name`() {
        let error = #expect(throws: LintError.self) { try ImageCheck(folder: "/nowhere") }
        #expect(error?.message.contains("/nowhere") == true)
    }
}

/// The checkout that this test is of.
enum Checkout {
    /// …/Tests/relux-dev/ReluxLintTests/File.swift
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().pathComponents.dropLast(4).joined(separator: "/").replacing("//", with: "/")
    /// Where `deploy/test` builds the plugins before it comes here.
    static let build = root + "/.build/debug"
}
