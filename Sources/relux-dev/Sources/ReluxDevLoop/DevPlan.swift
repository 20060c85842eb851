import Foundation

/// The steps for one plugin.
package struct DevPlan: Sendable {
    /// The module's name in the cluster.
    package let module: String
    /// The folders of the package, and of others whose sources are watched too; absolute.
    package let packages: [String]
    /// Where the steps' logs go, absolute; a file for each step.
    package let logs: String
    package let commands: [DevStep: StepCommand]

    package init(module: String, packages: [String], logs: String, commands: [DevStep: StepCommand]) {
        self.module = module
        self.packages = packages
        self.logs = logs
        self.commands = commands
    }

    package struct Surroundings: Sendable {
        /// The checkout's root, for a plugin among its own; nil for one elsewhere.
        package var checkout: String?
        /// Where the package manager builds; nil for its own choice.
        package var scratch: String?
        /// Programs.
        package var relux: String
        package var tools: String
        /// `--run` and `--config`, as `relux` takes them.
        package var cluster: [String] = []

        package init(checkout: String?, scratch: String?, relux: String, tools: String, cluster: [String]) {
            self.checkout = checkout
            self.scratch = scratch
            self.relux = relux
            self.tools = tools
            self.cluster = cluster
        }
    }

    /// A plugin in a folder. Among a checkout's own it shares the checkout's build, as `deploy/test` does.
    /// - Parameters:
    ///   - package: absolute.
    ///   - hasTests: whether tests are built too.
    /// - Throws: `dev.plugin` when no module is in it that a cluster can load.
    package init(of package: String, hasTests: Bool, _ surroundings: Surroundings) throws(DevLoopError) {
        let plugin = try BuiltPlugin(in: package)
        let shared = surroundings.scratch ?? surroundings.checkout.map { $0 + "/.build" }
        let scratch = shared ?? package + "/.build"
        // The plan of another package in the same folder must not be taken for this one's.
        let place = ["--package-path", package] + (shared.map { ["--scratch-path", $0, "--disable-build-manifest-caching"] } ?? [])
        let relux = [surroundings.relux, "module"]
        // A domain in two packages: the other one has what this one implements.
        let interfaces = URL(fileURLWithPath: package).deletingLastPathComponent().path + "/\(plugin.module)Interfaces"
        let hasInterfaces = package.hasSuffix("/\(plugin.module)Implementations") && FileManager.default.fileExists(atPath: interfaces)
        let packages = [package] + (hasInterfaces ? [interfaces] : [])
        let library = "\(scratch)/debug/\(plugin.library)"
        self.init(
            module: plugin.module, packages: packages, logs: "\(scratch)/relux-dev/\(plugin.module)",
            commands: [
                .generate: StepCommand([surroundings.tools, "generate", "--existing"] + packages),
                .build: StepCommand(["swift", "build"] + place + (hasTests ? ["--build-tests"] : [])),
                .lint: StepCommand([surroundings.tools, "lint"] + packages),
                .test: StepCommand(["swift", "test", "--skip-build"] + place),
                .pack: StepCommand(relux + ["pack", library] + surroundings.cluster),
                .look: StepCommand(relux + ["show", plugin.module, "--json"] + surroundings.cluster),
                .load: StepCommand(relux + ["load", plugin.module, "--packed"] + surroundings.cluster),
                .upgrade: StepCommand(relux + ["upgrade", plugin.module] + surroundings.cluster),
            ])
    }
}

/// The library of a package that a cluster can load.
struct BuiltPlugin: Hashable {
    let module: String
    /// The file's name.
    let library: String

    init(in package: String) throws(DevLoopError) {
        guard FileManager.default.fileExists(atPath: package + "/Package.swift") else {
            throw DevLoopError(
                "dev.noPackage", "there is no Package.swift in \(package)", hint: "name a plugin's folder, such as Plugins/Notes", status: 3)
        }
        let targets = ((try? FileManager.default.contentsOfDirectory(atPath: package + "/Sources")) ?? []).sorted()
        let found = targets.compactMap(Self.plugin)
        guard let only = found.first, found.count == 1 else {
            let which = found.isEmpty ? "no implementation" : "\(found.count) implementations (\(found.map(\.module).joined(separator: ", ")))"
            throw DevLoopError(
                "dev.plugin", "\(package) has \(which) among its Sources: a cluster loads one NAMEReluxImpl or NAMEOrchestrationImpl",
                hint: "name a domain's or an orchestrator's package; an interface of its own process is started anew instead")
        }
        self = only
    }

    private init(module: String, library: String) {
        self.module = module
        self.library = library
    }

    private static func plugin(_ target: String) -> BuiltPlugin? {
        if target.hasSuffix("ReluxImpl"), target != "ReluxImpl" {
            return BuiltPlugin(module: String(target.dropLast("ReluxImpl".count)), library: "lib\(target).so")
        }
        if target.hasSuffix("OrchestrationImpl") {
            let module = String(target.dropLast("Impl".count))
            return BuiltPlugin(module: module, library: "lib\(module).so")
        }
        return nil
    }
}
