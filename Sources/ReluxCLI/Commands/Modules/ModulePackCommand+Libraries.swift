import ArgumentParser
import Foundation
import ReluxControl
import ReluxOutput
import ReluxPlugin
import ReluxSupervisor

extension ModulePackCommand {
    /// Which plugins of the build folder, besides the libraries that are named.
    enum Choice: EnumerableFlag {
        case all
        case configured

        static func help(for value: Choice) -> ArgumentHelp? {
            switch value {
            case .all: "Pack all plugins of the build folder."
            case .configured: "Pack the plugins of the build folder whose modules the cluster's file names."
            }
        }
    }

    func chosenLibraries(_ session: CommandSession) throws(CLIError) -> [String] {
        let named = libraries.map(session.path)
        let folder = build.map(session.path) ?? session.console.executableDirectory
        switch choice {
        case .all:
            let built = Self.plugins(in: folder)
            guard !built.isEmpty else { throw Self.nothingBuilt(in: folder) }
            return built + named
        case .configured: return try configuredPlugins(in: folder, session) + named
        case nil:
            guard !named.isEmpty else {
                throw CLIError(.usage, "pack.nothing", "there is nothing to pack", hint: "name libraries, or say --configured or --all")
            }
            return named
        }
    }

    private static func nothingBuilt(in folder: String) -> CLIError {
        CLIError(
            .notFound, "pack.nothing", "there is no lib*ReluxImpl.so and no lib*Orchestration.so in \(folder)",
            hint: "build the plugins first, or name their folder with --build")
    }

    /// Paths, by name.
    private static func plugins(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasPrefix("lib") && ($0.hasSuffix("ReluxImpl.so") || $0.hasSuffix("Orchestration.so")) }
            .sorted().map { "\(folder)/\($0)" }
    }

    /// In the order of the file. What another package's build has packed needs no library here.
    private func configuredPlugins(in folder: String, _ session: CommandSession) throws(CLIError) -> [String] {
        let configuration = try session.location().configuration(for: "--configured")
        let built = Dictionary(Self.plugins(in: folder).map { (Self.module(of: $0), $0) }) { first, _ in first }
        guard !built.isEmpty || build == nil else { throw Self.nothingBuilt(in: folder) }
        var chosen: [String] = []
        var missing: [String] = []
        // A `path:` to elsewhere is not where this publishes.
        for directory in configuration.hosts.flatMap(\.plugins) where directory.hasPrefix(configuration.packed + "/") {
            // `<packed>/<module>/<version>`.
            let module = URL(fileURLWithPath: directory).deletingLastPathComponent().lastPathComponent
            if let library = built[module] {
                chosen.append(library)
            } else if FileManager.default.fileExists(atPath: "\(directory)/\(PluginManifest.fileName)") {
                session.say("note: \(module) stays as it was packed last: it has no library in \(folder)")
            } else {
                missing.append(module)
            }
        }
        guard missing.isEmpty else {
            throw CLIError(
                .notFound, "pack.notBuilt",
                "neither a library in \(folder) nor packed before: \(missing.joined(separator: ", "))",
                hint: (missing.lazy.compactMap { NearestName.meant($0, among: built.keys.sorted()) }.first.map { "\($0) Else " } ?? "")
                    + "build them there, name their folder with --build, or pack them from elsewhere: relux module pack LIBRARY")
        }
        return chosen
    }
}
