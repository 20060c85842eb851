import Glibc
import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct RegistryFileTests {
    private func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var all = [UInt8](repeating: 0, count: 1 << 20)
        return Array(all[..<fread(&all, 1, all.count, file)])
    }

    private func put(_ bytes: [UInt8], _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    private func snapshot() -> RegistrySnapshot {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        return cluster.registry.snapshot
    }

    private func failure(_ file: RegistryFile) -> RegistryFileError? {
        do {
            _ = try file.read()
            return nil
        } catch {
            return error
        }
    }

    @Test func `in a folder that took the place of its own nothing is written, and what was written goes with the folder`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (place, moved) = (scratch.file("run"), scratch.file("moved"))
        try #require(mkdir(place, 0o700) == 0)
        let file = RegistryFile(path: place + "/registry", isAnchored: true)
        try file.write(snapshot())
        try #require(rename(place, moved) == 0)
        #expect(throws: RegistryFileError.self) { try file.write(snapshot()) }
        try #require(mkdir(place, 0o700) == 0)
        let error = #expect(throws: RegistryFileError.self) { try file.write(snapshot()) }
        #expect(error?.message.contains("another folder has taken the place") == true, "\(String(describing: error))")
        #expect(access(place + "/registry", F_OK) != 0 && access(moved + "/registry", F_OK) == 0)
    }

    @Test func `two brokers never have one registry, however its directory is spelled`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let file = RegistryFile(path: folder.path + "/registry")
        let other = RegistryFile(path: folder.path + "/./registry")
        let lock = try RegistryLock(of: file)
        let error = #expect(throws: RegistryFileError.self) { _ = try RegistryLock(of: other) }
        #expect(error?.code == .locked && error?.message.contains("process \(getpid()) ") == true)
        lock.release()
        try RegistryLock(of: other).release()
        // A file that an owner left behind is in nobody's way.
        try put(Array("4711\n".utf8), file.path + ".lock")
        try RegistryLock(of: file).release()
        unlink(file.path + ".lock")
        mkdir(file.path + ".lock", 0o700)
        // A directory is no lock of anybody's: it is set aside.
        try RegistryLock(of: file).release()
        #expect(rmdir("\(file.path).lock.replaced-\(getpid())") == 0)
        unlink(file.path + ".lock")
        #expect(symlink("/dev/null", file.path + ".lock") == 0)
        try RegistryLock(of: file).release()
        #expect(unlink("\(file.path).lock.replaced-\(getpid())") == 0)
        unlink(file.path + ".lock")
    }

    @Test func `what was written is read, and a file that is not there is none`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let file = RegistryFile(path: "\(folder.path)/registry")
        #expect(try file.read() == nil)
        let snapshot = snapshot()
        try file.write(snapshot)
        try file.write(snapshot)
        let read = try #require(try file.read())
        #expect(try CBOR.encode(read) == CBOR.encode(snapshot))
        #expect(access("\(folder.path)/registry.new", F_OK) != 0)
        let registry = Registry(configuration: RegistryConfiguration(), restoring: read, now: .zero)
        #expect(registry.modules.count == 6)
        #expect(try bytes(file.path).prefix(4) == [0, 0, 0, 1])
    }

    @Test func `a newer format is called newer, with path and position`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let file = RegistryFile(path: "\(folder.path)/registry")
        try file.write(snapshot())
        var content = try bytes(file.path)
        content[3] = 2
        try put(content, file.path)
        let failure = failure(file)
        #expect(failure?.code == .newer)
        #expect(failure?.message.contains("\(file.path) at byte 0: format 2") == true)
    }

    @Test func `what is no file in the registry's place is refused by its kind, and set aside by whoever knows what the file should say`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let file = RegistryFile(path: "\(folder.path)/registry")
        for (kind, make) in [
            ("a directory", { mkdir($0, 0o700) }), ("a pipe", { mkfifo($0, 0o600) }), ("a socket", { mknod($0, S_IFSOCK | 0o600, 0) }),
            ("a symbolic link", { symlink("nowhere", $0) }),
        ] as [(String, (String) -> Int32)] {
            for path in [file.path, file.path + ".new"] {
                unlink(file.path)
                #expect(make(path) == 0)
                if path == file.path { #expect(!file.isMissing && failure(file)?.message.contains("\(path) is \(kind), and the registry's file belongs there") == true) }
                try file.write(snapshot())
                #expect(try file.read() != nil)
                #expect(remove("\(path).replaced-\(getpid())") == 0)
            }
        }
    }

    @Test func `a pipe in the place of a file is named, and nobody waits for its other end`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let manifest = "\(folder.path)/\(PluginManifest.fileName)"
        #expect(mkfifo(manifest, 0o600) == 0)
        guard case .unreadable(let code, _)? = PluginReader.read([folder.path])[folder.path] else {
            Issue.record("it was read")
            return
        }
        #expect(code == "loader.unreadable")
    }

    @Test func `a host cannot say a number that no broker could go on from`() throws {
        let declaration = declaration("There", .domain)
        for (version, epoch, isSound) in [(7, 3, true), (7, nil, true), (.max, 3, false), (1 << 62 + 1, 3, false), (7, .max, false), (7, 1 << 22, false), (7, 1 << 22 - 1, true)]
            as [(UInt64, UInt64?, Bool)]
        {
            let module = HostHello.Module(declaration: declaration, imports: [], epoch: epoch.map { Epoch($0) }, state: ModuleState(.ready))
            let hello = HostHello(
                host: "host", pid: 1, instance: "1", endpoint: "", tapEndpoint: "", modules: [module], resumed: true, pictureVersion: version)
            #expect((hello.fault == nil) == isSound, "picture \(version), epoch \(epoch ?? 0)")
        }
    }

    @Test func `every damaged byte and every truncation is found`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let file = RegistryFile(path: "\(folder.path)/registry")
        try file.write(snapshot())
        let content = try bytes(file.path)
        for position in stride(from: 0, to: content.count, by: 7) {
            var damaged = content
            damaged[position] ^= 0x40
            try put(damaged, file.path)
            let failure = failure(file)
            #expect(failure?.code == (position < 4 ? .newer : .damaged), "byte \(position)")
        }
        for length in [0, 3, 4, 15, 16, content.count - 1] {
            try put(Array(content[..<length]), file.path)
            #expect(failure(file)?.code == .damaged, "\(length) bytes")
            #expect(failure(file)?.message.contains("Restore it from a copy") == true)
        }
    }

    @Test func `a directory that is not there is an error that names it`() throws {
        let file = RegistryFile(path: "/nowhere/registry")
        #expect(throws: RegistryFileError.self) { try file.write(snapshot()) }
    }
}
