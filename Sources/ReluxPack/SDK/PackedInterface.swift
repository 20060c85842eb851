import Foundation
import ReluxLayers
import ReluxLoader
import ReluxPlugin
import ReluxWire

/// The interface in a packed plugin, for those who build against its module.
struct PackedInterface {
    let manifest: PluginManifest
    private let directory: String
    private let needed: [String: [String]]

    var domain: String { manifest.module.id.rawValue }

    /// - Throws: `sdk.source` for a directory that is no packed plugin, or was packed without its interface.
    init(in named: String) throws(PackError) {
        // Links such as `current` are followed once.
        let directory = URL(fileURLWithPath: named).resolvingSymlinksInPath().path
        let path = "\(directory)/\(PluginManifest.fileName)"
        guard let data = PlainFile.contents(path), let manifest = try? JSONDecoder().decode(PluginManifest.self, from: data) else {
            throw PackError(.sdkSource, "\(path) is no plugin's manifest\(FileReason.unread(path).map { ": \($0)" } ?? ""); pack the module first: relux module pack")
        }
        self.directory = directory
        self.manifest = manifest
        var needed: [String: [String]] = [:]
        for file in manifest.files {
            let name = LibraryName(file: file.name)
            guard SDKContents.isOffered(name.stem), name.layered?.module == manifest.module.id.rawValue else { continue }
            do throws(LoaderError) { needed[name.stem] = try ElfImage(contentsOf: "\(directory)/\(file.name)").needed } catch {
                throw PackError(.sdkSource, "\(directory)/\(file.name): \(error); pack the module again")
            }
        }
        self.needed = needed
        guard !needed.isEmpty, !manifest.interfaceModules.isEmpty else {
            let why = needed.isEmpty ? "has no interface: it is \(manifest.module.kind)" : "was packed without what a compiler reads of its interface"
            throw PackError(.sdkSource, "\(domain) in \(directory) \(why); name a domain, and pack it with this relux")
        }
    }

    var package: SDKContents.Package { SDKContents.interface(of: domain, needed: needed) }

    /// The library and its modules, if they are as they were packed.
    func deliver(_ library: SDKContents.Library) throws(PackError) -> SDKContents.Delivery {
        var modules: [(name: String, bytes: [UInt8])] = []
        for file in manifest.interfaceModules where library.modules.contains(where: { file.name.hasPrefix("\($0).") }) {
            modules.append((file.name, try contents(of: file)))
        }
        if let absent = library.modules.first(where: { module in !modules.contains { $0.name == "\(module).swiftmodule" } }) {
            throw PackError(.sdkSource, "\(directory) was packed without \(absent).swiftmodule; build the module whole, and pack it again")
        }
        guard let file = manifest.files.first(where: { $0.name == library.file }) else {
            throw PackError(.sdkSource, "\(directory) has no \(library.file); pack the module again")
        }
        return (try contents(of: file), modules)
    }

    private func contents(of file: PluginManifest.File) throws(PackError) -> [UInt8] {
        let path = "\(directory)/\(file.name)"
        guard !file.name.contains("/"), let data = PlainFile.contents(path), sha256([UInt8](data)) == file.sha256 else {
            throw PackError(.sdkSource, "\(path) is not as it was packed; pack the module again")
        }
        return [UInt8](data)
    }
}
