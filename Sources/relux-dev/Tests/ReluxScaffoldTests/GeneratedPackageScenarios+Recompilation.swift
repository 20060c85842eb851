import Foundation
import Testing

/// What a change costs: which modules of a domain are compiled again when one of them has changed.
extension GeneratedPackageScenarios {
    /// Of the domain that has just been built, tests not counted.
    func recompile() throws {
        // What the change does not touch is as it was built.
        let before = try rebuild()
        #expect(before.compiled.isEmpty && before.linked.isEmpty, "\(before)")

        // A body behind the service's protocol: nobody else has to know.
        try change("ServiceImpl", "\(Self.domain)+Business+ServiceInMemory.swift", "{ kept }", "{ kept.map { $0 } }")
        let implementation = try rebuild()
        #expect(implementation.compiled == ["ServiceImpl"], "\(implementation)")
        #expect(implementation.linked == ["ServiceImpl", "ReluxImpl"], "\(implementation)")

        // What all of them speak of.
        let enumeration = "public enum UI {"
        try change("Models", "\(Self.domain).swift", enumeration, "public static let changes = 1\n\n    \(enumeration)")
        let models = try rebuild()
        #expect(models.compiled == ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl", "TestSupport"], "\(models)")
        // Test support is no library of its own.
        #expect(models.linked == ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl"], "\(models)")
    }

    private func change(_ layer: String, _ file: String, _ words: String, _ instead: String) throws {
        let path = "\(folder)/\(Self.domain)/Sources/\(Self.domain)\(layer)/\(file)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try #require(text.components(separatedBy: words).count == 2, "\(file) has not just once: \(words)")
        try Data(text.replacing(words, with: instead).utf8).write(to: URL(fileURLWithPath: path))
    }

    /// The layers that the build compiled and linked, by what it says; plus any other module, which would be one too many.
    private func rebuild() throws -> (compiled: Set<String>, linked: Set<String>) {
        let build = try run([
            "swift", "build", "--package-path", Self.domain, "--scratch-path", Folders.root + "/.build", "--ignore-lock",
            "--disable-build-manifest-caching",
        ])
        #expect(build.status == 0, "\(build.text.suffix(4_000))")
        var (compiled, linked): (Set<String>, Set<String>) = ([], [])
        for line in build.text.split(separator: "\n") {
            // `[6/8] Compiling WeatherModels Weather.swift`, `[8/10] Linking libWeatherModels.so`
            let words = line.split(separator: " ")
            guard words.count > 2, words[0].hasPrefix("["), words[2] != "plugin" else { continue }
            if words[1] == "Compiling" { compiled.insert(layer(words[2])) }
            if words[1] == "Linking" { linked.insert(layer(words[2].replacing("lib", with: "").replacing(".so", with: ""))) }
        }
        return (compiled, linked)
    }

    private func layer(_ module: some StringProtocol) -> String {
        module.hasPrefix(Self.domain) ? String(module.dropFirst(Self.domain.count)) : String(module)
    }
}
