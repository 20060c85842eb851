import Foundation
import Relux
import ReluxLoader
import ReluxPack
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct PackerTests {
    private func packer() -> Packer {
        Packer(describe: { try describe(library: $0) }, rawValues: { try rawValues(library: $0, enums: $1) })
    }

    @Test func `a packed module is what the host's verifier accepts`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let packed = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
        #expect(packed.isNew)
        #expect(packed.directory.hasPrefix("\(out.path)/Demo/1.2.0-"))
        #expect(packed.manifest.module == DemoPackage.declaration)
        #expect(packed.manifest.library == "libDemoReluxImpl.so")
        #expect(packed.manifest.files.map(\.name) == ["libDemoModels.so", "libDemoReluxImpl.so", "libDemoReluxInt.so"])
        #expect(packed.manifest.runtimeGuard == reluxRuntimeGuard)
        #expect(packed.manifest.compiler.contains("Swift version"))
        let verified = try PluginVerifier(kinds: [:]).verify(directory: packed.directory)
        #expect(verified.manifest == packed.manifest)
        #expect(verified.imports.isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(out.path)/Demo").sorted()
        #expect(left == [URL(fileURLWithPath: packed.directory).lastPathComponent, "current"])
    }

    @Test func `an orchestrator's manifest has the contracts of others that it was built with, as their own modules have them`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let own = try packer().pack(library: demo.library, into: out.path, modules: demo.modules).manifest
        let packed = try packer().pack(library: demo.orchestrator, into: out.path, modules: demo.modules)
        let other = packed.manifest
        let topic = try #require(own.contract.topics.first)
        #expect(own.importedContracts.isEmpty)
        #expect(other.importedContracts == [topic.topic: topic.fingerprint])
        #expect(other.fingerprints[topic.topic] == topic.fingerprint)
        #expect(other.fingerprints["DemoOrchestration.Effect"] == other.contract.topics.first?.fingerprint)
        // A manifest that was packed before they were noted can still be read.
        var text = try String(contentsOfFile: "\(packed.directory)/\(PluginManifest.fileName)", encoding: .utf8)
        let noted = try #require(text.firstRange(of: /"importedContracts"[^}]*\},/))
        text.removeSubrange(noted)
        #expect(try JSON.decode(PluginManifest.self, from: text).importedContracts.isEmpty)
    }

    @Test func `a library that links another module's implementation is not packed, and both are named`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let error = #expect(throws: PackError.self) { try packer().pack(library: try demo.compileReaching(), into: out.path, modules: demo.modules) }
        #expect(error?.code == .layer)
        #expect(
            error?.message
                == "libReachOrchestration.so of ReachOrchestration links libDemoReluxImpl.so: nobody links what works in another module; "
                + "link libDemoReluxInt.so instead")
        #expect(try FileManager.default.contentsOfDirectory(atPath: out.path).isEmpty)
    }

    @Test func `a folder that cannot be written is named with the system's reason and the remedy`() throws {
        let demo = try DemoPackage.shared.get()
        for out in ["/dev/null/packed", "/proc/packed"] {
            let error = #expect(throws: PackError.self) { try packer().pack(library: demo.library, into: out, modules: demo.modules) }
            #expect(error?.code == .write)
            #expect(error?.message.hasPrefix("\(out)/Demo/1.2.0-") == true, "\(error as Any)")
            #expect(error?.message.contains("Domain") == false && error?.message.hasSuffix("; name another folder with --out") == true, "\(error as Any)")
        }
    }

    /// When it fails, the platform's effects have another contract: write the fingerprints that it prints into `PlatformContracts`.
    @Test func `the platform's own contracts are those of the built modules`() throws {
        let demo = try DemoPackage.shared.get()
        let extracted = try ContractExtractor(
            toolchain: Toolchain(), target: try Toolchain().target(), modules: Array(demo.modules.dropFirst())
        ).extract([
            .init(interfaces: ["ReluxPlugin"], supporting: ["Relux", "ReluxWire"]),
            .init(interfaces: ["ReluxOrchestration"], supporting: ["Relux", "ReluxWire"]),
        ]) { _ in [:] }
        let topics = extracted.flatMap(\.contract.topics)
        #expect(PlatformContracts.fingerprints == Dictionary(uniqueKeysWithValues: topics.map { ($0.topic, $0.fingerprint) }))
    }

    @Test func `current names the version packed last, and a host that follows it loads that very version`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let current = "\(out.path)/Demo/current"
        try FileManager.default.createDirectory(atPath: "\(out.path)/Demo/1.1.0-old", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: current, withDestinationPath: "1.1.0-old")
        let packed = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: current)
                == URL(fileURLWithPath: packed.directory).lastPathComponent)
        #expect(try PluginVerifier(kinds: [:]).verify(directory: current).directory == packed.directory)
    }

    @Test func `a current that is no link is not replaced`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        try FileManager.default.createDirectory(atPath: "\(out.path)/Demo/current", withIntermediateDirectories: true)
        #expect { try packer().pack(library: demo.library, into: out.path, modules: demo.modules) } throws: {
            ($0 as? PackError)?.code == .write
        }
    }

    @Test func `a kit travels with those who link it and stands for the interface; its domain is packed without it`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let packed = try packer().pack(library: try demo.compileKit(), into: out.path, modules: demo.modules)
        #expect(
            packed.manifest.files.map(\.name) == ["libDemoKit.so", "libDemoModels.so", "libDemoReluxInt.so", "libSkyOrchestration.so"])
        #expect(packed.manifest.imports == ["DemoReluxInt"])
        let verified = try PluginVerifier(kinds: ["Demo": .domain]).verify(directory: packed.directory)
        #expect(verified.imports == ["DemoReluxInt"])
        let domain = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
        #expect(!domain.manifest.files.map(\.name).contains("libDemoKit.so"))
    }

    @Test func `the same content twice is packed once`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let first = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
        let second = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
        #expect(!second.isNew)
        #expect(second.directory == first.directory)
        #expect(second.manifest == first.manifest)
    }

    @Test func `a version that was damaged where it lies is packed anew, and what a host has loaded of it stays as it was`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        let first = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
        let file = "\(first.directory)/\(first.manifest.files[0].name)"
        let sound = try Data(contentsOf: URL(fileURLWithPath: file))
        let damages: [(String) throws -> Void] = [
            { try FileManager.default.removeItem(atPath: $0) },
            { path in
                try FileManager.default.removeItem(atPath: path)
                try Data(sound.reversed()).write(to: URL(fileURLWithPath: path))
            },
            { try Data([1]).write(to: URL(fileURLWithPath: $0 + ".more")) },
        ]
        for damage in damages {
            try damage(file)
            let held = try #require(FileHandle(forReadingAtPath: first.directory + "/" + first.manifest.files[1].name))
            let again = try packer().pack(library: demo.library, into: out.path, modules: demo.modules)
            #expect(again.isNew && again.directory == first.directory)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == sound)
            #expect(try PluginVerifier(kinds: [:]).verify(directory: again.directory).imports == again.manifest.imports)
            #expect(try held.readToEnd()?.count == Int(first.manifest.files[1].size))
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(out.path)/\(first.manifest.module.id)").filter { $0.hasPrefix(".") } == [])
        }
    }

    @Test func `the contract has topics, cases, labels, types and shapes`() throws {
        let demo = try DemoPackage.shared.get()
        let extracted = try packer().contract(ofLibrary: demo.library, module: "Demo", modules: demo.modules)
        let contract = extracted.contract
        #expect(contract.topics.map(\.topic) == ["Demo.Business.Effect"])
        #expect(
            extracted.notes == [
                "Demo.Business.Renamed names its topic itself: it is not in the contract",
                "Demo.Business.Model.Own has raw values that could not be read: any value is taken",
                "Demo.Business.Ratio has raw values that could not be read: any value is taken",
            ])
        let topic = try #require(contract.topics.first)
        #expect(topic.cases.map(\.name) == ["login", "opened", "saved", "logout", "kept", "ranked"])

        #expect(topic.cases[0].doc == "Somebody wants in;\nanswers with who." && topic.cases[3].doc == nil)

        let text = PayloadShape(.text)
        #expect(
            topic.cases[0].fields == [
                FieldContract(label: "username", type: "String", shape: text),
                FieldContract(label: "password", type: "Secret<String>", shape: PayloadShape(.sealed, of: [text])),
            ])
        #expect(
            topic.cases[1].fields == [
                FieldContract(
                    label: "_0", type: "Demo.Business.Model.Tab",
                    shape: PayloadShape(.text, type: "Demo.Business.Model.Tab", values: ["one", "zwei", "three"])),
                FieldContract(
                    label: "names", type: "Demo.Business.Names", optional: true,
                    shape: PayloadShape(.array, of: [text])),
            ])
        let saved = topic.cases[2].fields
        #expect(saved.map(\.label) == ["user", "tags", "keyed", "limit"])
        let user = try #require(saved[0].shape)
        #expect(user.kind == .structure)
        #expect(user.fields.map(\.label) == ["id", "name", "age", "notes", "seen", "children"])
        #expect(user.fields.map(\.optional) == [false, true, false, false, false, false])
        let child = PayloadShape(
            .enumeration, type: "Demo.Business.Model.Child",
            cases: [
                CaseContract(name: "leaf"),
                CaseContract(
                    name: "node",
                    fields: [
                        FieldContract(
                            label: "_0", type: "Demo.Business.Model.Child",
                            shape: PayloadShape(.reference, type: "Demo.Business.Model.Child")),
                        FieldContract(
                            label: "right", type: "Demo.Business.Model.Child", optional: true,
                            shape: PayloadShape(.reference, type: "Demo.Business.Model.Child")),
                    ]),
            ])
        #expect(user.fields.last?.shape == PayloadShape(.array, of: [child]))
        let int = PayloadShape(.int)
        #expect(
            saved[1].shape
                == PayloadShape(.map, of: [text, PayloadShape(.array, of: [PayloadShape(.optional, of: [int])])]))
        #expect(saved[2].shape == nil, "its keys are its own affair")
        #expect(saved[3] == FieldContract(label: "limit", type: "UInt8", shape: int))

        let key = PayloadShape(.text, type: "Demo.Business.Model.Key", values: ["first"])
        #expect(topic.cases[4].fields.map(\.shape) == [PayloadShape(.map, of: [key, int]), nil])
        #expect(
            topic.cases[5].fields.map(\.shape) == [
                PayloadShape(.int, type: "Demo.Business.Level", values: ["-3", "-2", "100", "9223372036854775807"]),
                PayloadShape(.text, type: "Demo.Business.Grade", values: ["x"]),
                PayloadShape(.double, type: "Demo.Business.Ratio"),
                PayloadShape(.text, type: "Demo.Business.Model.Own"),
            ])

        #expect(
            contract.snapshots == [
                SnapshotContract(
                    topic: "Demo.Business.Snapshot",
                    shape: PayloadShape(
                        .structure, type: "Demo.Business.Snapshot",
                        fields: [FieldContract(label: "count", type: "Int", shape: int)]))
            ])
    }

    @Test func `a contract file is current until the interface or the file changes`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let demo = try DemoPackage.shared.get()
        let contract = try packer().contract(ofLibrary: demo.library, module: "Demo", modules: demo.modules).contract
        let file = ContractFile(path: "\(folder.path)/Demo.contract.json")
        func verdict(_ contract: Contract) -> String {
            do throws(PackError) {
                try file.check(contract)
                return "current"
            } catch {
                #expect(error.code == .staleContract)
                return error.message
            }
        }
        #expect(verdict(contract).contains("is missing"))
        try file.write(contract)
        #expect(verdict(contract) == "current")
        var changed = contract
        changed.topics.append(TopicContract(topic: "Demo.Business.More", cases: []))
        #expect(verdict(changed).contains("Demo.Business.More"))
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file.path))
        #expect(verdict(contract).contains("no contract"))
        #expect(
            ContractFile(package: "Plugins/Auth", domain: "Auth").path
                == "Plugins/Auth/Sources/AuthReluxInt/Auth.contract.json")
    }

    @Test func `a contract is beside the interface, in one package or in two, or beside an orchestrator`() throws {
        let folder = TemporaryDirectory(isMade: true)
        for place in ["Auth/Sources/AuthReluxInt", "Notes/NotesInterfaces/Sources/NotesReluxInt", "Sky/Sources/SkyImpl"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/\(place)", withIntermediateDirectories: true)
        }
        func place(_ module: String) -> String { String(ContractFile(plugin: "\(folder.path)/\(module)", module: module).path.dropFirst(folder.path.count + 1)) }
        #expect(place("Auth") == "Auth/Sources/AuthReluxInt/Auth.contract.json")
        #expect(place("Notes") == "Notes/NotesInterfaces/Sources/NotesReluxInt/Notes.contract.json")
        #expect(place("Sky") == "Sky/Sources/SkyImpl/Sky.contract.json")
    }

    @Test func `a host process tells the declaration, and its failure is passed on`() throws {
        let folder = TemporaryDirectory(isMade: true)
        func host(_ name: String, _ script: String) throws -> HostProcess {
            let path = "\(folder.path)/\(name)"
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return HostProcess(executable: path)
        }
        let json = try JSON.encode(DemoPackage.declaration)
        let honest = try host("honest", "[ \"$1 $2\" = '--describe libDemo.so' ] && echo '\(json)'")
        #expect(try honest.describe(library: "libDemo.so") == DemoPackage.declaration)
        let telling = try host("telling", "[ \"$*\" = '--raw-values libDemo.so --enum 1aO:2 --enum 1bO:3' ] && echo '{\"1aO\": [\"x\", \"y\"]}'")
        #expect(try telling.rawValues(library: "libDemo.so", enums: ["1bO": 3, "1aO": 2]) == ["1aO": ["x", "y"]])
        for (name, script, word) in [
            ("failing", "echo 'loader.guard: no' >&2; exit 3", "loader.guard: no"), ("silent", "exit 0", "no declaration"),
        ] {
            let bad = try host(name, script)
            do throws(PackError) {
                _ = try bad.describe(library: "libDemo.so")
                Issue.record("\(name) was believed")
            } catch {
                #expect(error.code == .describe)
                #expect(error.message.contains(word))
            }
        }
        #expect(throws: PackError.self) { try HostProcess(executable: "\(folder.path)/absent").describe(library: "x") }
    }

    @Test func `a library that is no plugin or has a name that is no folder is not packed`() throws {
        let demo = try DemoPackage.shared.get()
        let out = TemporaryDirectory(isMade: true)
        #expect(throws: PackError.self) {
            try packer().pack(library: "\(demo.folder)/libDemoModels.so", into: out.path, modules: demo.modules)
        }
        for version in ["1/../../2", "", ".hidden"] {
            var declaration = DemoPackage.declaration
            declaration.version = version
            let lying = Packer(describe: { [declaration] _ in declaration }, rawValues: { _, _ in [:] })
            #expect(throws: PackError.self) { try lying.pack(library: demo.library, into: out.path, modules: demo.modules) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: out.path).isEmpty)
    }
}
