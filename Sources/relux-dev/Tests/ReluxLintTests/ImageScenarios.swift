import Foundation
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

    @Test func `a folder without models is an error with its name`() {
        let error = #expect(throws: LintError.self) { try ImageCheck(folder: "/nowhere") }
        #expect(error?.message.contains("/nowhere") == true)
    }
}

/// The checkout that this test is of.
enum Checkout {
    /// …/Sources/relux-dev/Tests/ReluxLintTests/File.swift
    static let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").replacing("//", with: "/")
    /// Where `deploy/test` builds the plugins before it comes here.
    static let build = root + "/.build/debug"
}
