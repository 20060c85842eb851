import Foundation
import Testing

/// The cost of a change: which modules of a domain are compiled again when one of them has changed.
extension GeneratedPackageScenarios {
    /// Recompiles the domain that has just been built, tests not counted.
    func recompile() throws {
        // A module that the change does not touch is as it was built.
        let before = try rebuild()
        #expect(before.looked.isEmpty && before.written.isEmpty && before.linked.isEmpty, "\(before)")

        // A body behind the service's protocol: nobody else has to know, and who needs the library finds that out.
        try change("ServiceImpl", "\(Self.domain)+Business+ServiceInMemory.swift", "{ kept }", "{ kept.map { $0 } }")
        let implementation = try rebuild()
        #expect(implementation.written == ["ServiceImpl"], "\(implementation)")
        #expect(implementation.looked == ["ServiceImpl", "ReluxImpl"], "\(implementation)")
        #expect(implementation.linked == ["ServiceImpl", "ReluxImpl"], "\(implementation)")

        // The layer that all of them speak of.
        let enumeration = "public enum UI {"
        try change("Models", "\(Self.domain).swift", enumeration, "public static let changes = 1\n\n    \(enumeration)")
        let models = try rebuild()
        #expect(models.looked == ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl", "TestSupport"], "\(models)")
        #expect(models.written.contains("Models"), "\(models)")
        // Test support is no library of its own.
        #expect(models.linked == ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl"], "\(models)")
    }

    private func change(_ layer: String, _ file: String, _ words: String, _ instead: String) throws {
        let path = "\(folder)/\(Self.domain)/Sources/\(Self.domain)\(layer)/\(file)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try #require(text.components(separatedBy: words).count == 2, "\(file) has not just once: \(words)")
        try Data(text.replacing(words, with: instead).utf8).write(to: URL(fileURLWithPath: path))
    }

    /// The layers at which the compiler has looked again, of which it has written objects, and which were linked, by the files: the build does
    /// not say all that it does. Plus any other module, which would be one too many.
    private struct Rebuilt {
        var (looked, written, linked): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    }

    private func rebuild() throws -> Rebuilt {
        let before = try outputs()
        let build = try run([
            "swift", "build", "--package-path", Self.domain, "--scratch-path", Folders.root + "/.build", "--ignore-lock",
            "--disable-build-manifest-caching",
        ])
        #expect(build.status == 0, "\(build.text.suffix(4_000))")
        var rebuilt = Rebuilt()
        for (path, time) in try outputs() where before[path] != time {
            // `WeatherModels.build/Weather.swift.o`, `WeatherModels.build/primary.priors`, `libWeatherModels.so`
            let folder = path.split(separator: "/")[0]
            if path.hasSuffix(".swift.o") {
                rebuilt.written.insert(layer(folder.replacing(".build", with: "")))
            } else if path.hasSuffix(".priors") {
                rebuilt.looked.insert(layer(folder.replacing(".build", with: "")))
            } else {
                rebuilt.linked.insert(layer(folder.replacing("lib", with: "").replacing(".so", with: "")))
            }
        }
        return rebuilt
    }

    /// Objects, what the compiler notes of each module whenever it looks at it, and libraries of the build folder; when each was written.
    private func outputs() throws -> [String: Date] {
        let (files, folder) = (FileManager.default, Folders.root + "/.build/debug")
        var outputs: [String: Date] = [:]
        for name in try files.contentsOfDirectory(atPath: folder) {
            var paths = name.hasPrefix("lib") && name.hasSuffix(".so") ? [name] : []
            if name.hasSuffix(".build") {
                paths = try files.contentsOfDirectory(atPath: "\(folder)/\(name)").filter { $0.hasSuffix(".swift.o") || $0.hasSuffix(".priors") }
                    .map { "\(name)/\($0)" }
            }
            for path in paths { outputs[path] = try files.attributesOfItem(atPath: "\(folder)/\(path)")[.modificationDate] as? Date }
        }
        return outputs
    }

    private func layer(_ module: some StringProtocol) -> String {
        module.hasPrefix(Self.domain) ? String(module.dropFirst(Self.domain.count)) : String(module)
    }
}
