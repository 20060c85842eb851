public import ReluxWire

/// The packing list of one plugin version: `manifest.json` in its immutable directory.
///
/// The host trusts it only as far as it checks it: sizes and hashes of the files, then what the libraries themselves
/// say (guard, needed libraries, declaration). Where library and manifest differ, the library wins or is refused.
public struct PluginManifest: Codable, Sendable, Hashable {
    public struct File: Codable, Sendable, Hashable {
        /// A name inside the directory, never a path.
        public var name: String
        /// Bytes.
        public var size: UInt64
        /// 64 hexadecimal digits.
        public var sha256: String

        public init(name: String, size: UInt64, sha256: String) {
            self.name = name
            self.size = size
            self.sha256 = sha256
        }
    }

    public static let fileName = "manifest.json"
    /// The format that this build reads and writes.
    public static let currentFormat = 1

    public var format: Int
    public var module: ModuleDeclaration
    /// File name of the library that is opened: the `ReluxImpl`, or the orchestrator.
    public var library: String
    /// Sorted by name; every library of the directory is listed.
    public var files: [File]
    /// The guard symbol of the runtime that the libraries were built against.
    public var runtimeGuard: String
    /// First line of `swiftc --version`, for people; the guard covers it.
    public var compiler: String
    /// For example `x86_64-unknown-linux-gnu`.
    public var target: String
    /// Interfaces of others that the libraries need, for example `AuthReluxInt`.
    public var imports: [String]
    public var contract: Contract
    /// Fingerprints of the effect types of others' interfaces that the libraries were built with. What was packed before they were noted has none.
    public var importedContracts: [Topic: ContractFingerprint]
    /// What a compiler reads of the module's models and interface, sorted by name: others build against it. Hosts read none of it.
    public var interfaceModules: [File]

    public init(
        module: ModuleDeclaration, library: String, files: [File], runtimeGuard: String, compiler: String,
        target: String, imports: [String], contract: Contract,
        importedContracts: [Topic: ContractFingerprint] = [:], interfaceModules: [File] = []
    ) {
        format = Self.currentFormat
        self.module = module
        self.library = library
        self.files = files
        self.runtimeGuard = runtimeGuard
        self.compiler = compiler
        self.target = target
        self.imports = imports
        self.contract = contract
        self.importedContracts = importedContracts
        self.interfaceModules = interfaceModules
    }
}

extension PluginManifest {
    /// Fingerprints of all effect types that its libraries were built with: its own, those of interfaces that it imports, the platform's.
    public var fingerprints: [Topic: ContractFingerprint] {
        PlatformContracts.fingerprints.merging(importedContracts) { $1 }
            .merging(contract.topics.map { ($0.topic, $0.fingerprint) }) { $1 }
    }

    private enum CodingKeys: String, CodingKey {
        case format, module, library, files, runtimeGuard, compiler, target, imports, contract, importedContracts, interfaceModules
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            module: try container.decode(ModuleDeclaration.self, forKey: .module), library: try container.decode(String.self, forKey: .library),
            files: try container.decode([File].self, forKey: .files), runtimeGuard: try container.decode(String.self, forKey: .runtimeGuard),
            compiler: try container.decode(String.self, forKey: .compiler), target: try container.decode(String.self, forKey: .target),
            imports: try container.decode([String].self, forKey: .imports), contract: try container.decode(Contract.self, forKey: .contract),
            importedContracts: try container.decodeIfPresent([Topic: ContractFingerprint].self, forKey: .importedContracts) ?? [:],
            interfaceModules: try container.decodeIfPresent([File].self, forKey: .interfaceModules) ?? [])
        format = try container.decode(Int.self, forKey: .format)
    }
}
