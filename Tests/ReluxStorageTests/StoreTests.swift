import Foundation
import GRDB
import ReluxStorage
import ReluxTestKit
import Testing

@Suite struct StoreTests {
    private struct Failure: Error { var message: String }

    private static func migrator(steps: Int) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for step in 1...steps {
            migrator.registerMigration("\(step)") { db in
                if step == 1 { try db.execute(sql: "CREATE TABLE note (text TEXT NOT NULL)") }
                if step > 1 { try db.execute(sql: "ALTER TABLE note ADD COLUMN c\(step) TEXT") }
            }
        }
        return migrator
    }

    private static func store(_ path: String, steps: Int) -> Store<Failure> {
        Store(path: path, migrator: migrator(steps: steps)) { Failure(message: $0) }
    }

    private static func columns(of path: String) throws -> Int {
        try DatabaseQueue(path: path).read { db in try db.columns(in: "note").count }
    }

    private static func texts(of path: String) throws -> [String] {
        try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "SELECT text FROM note") }
    }

    @Test func `a database is opened at its first use, with its folder and all its steps`() async throws {
        let folder = TemporaryDirectory(isMade: true)
        let store = Self.store("\(folder.path)/deep/notes.sqlite", steps: 2)
        #expect(await !store.isPrepared)
        try await store.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('a')") }
        #expect(await store.isPrepared)
        #expect(try await store.read { try String.fetchAll($0, sql: "SELECT text FROM note") } == ["a"])
    }

    @Test func `a path that cannot be opened is the domain's failure, and is tried again at the next use`() async throws {
        let folder = TemporaryDirectory(isMade: true)
        let path = "\(folder.path)/notes.sqlite"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let store = Self.store(path, steps: 1)
        let failure = await #expect(throws: Failure.self) { try await store.prepare() }
        #expect(failure?.message.hasPrefix("the database \(path) could not be migrated: ") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.hasSuffix("; check the path, its rights and the disk") == true)
        try FileManager.default.removeItem(atPath: path)
        try await store.prepare()
        #expect(await store.isPrepared)
    }

    @Test func `before further steps the database is copied once, and the latest copy stays`() async throws {
        let folder = TemporaryDirectory(isMade: true)
        let path = "\(folder.path)/notes.sqlite"
        func copies() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".before-") }.sorted() }
        let first = Self.store(path, steps: 1)
        try await first.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('a')") }
        #expect(try copies().isEmpty, "a fresh one has nothing to keep")
        try await Self.store(path, steps: 1).prepare()
        #expect(try copies().isEmpty)
        try await Self.store(path, steps: 3).prepare()
        #expect(try copies() == ["notes.sqlite.before-2"])
        #expect(try Self.columns(of: path) == 3)
        #expect(try Self.columns(of: path + ".before-2") == 1)
        #expect(try Self.texts(of: path + ".before-2") == ["a"])
        // Left by a process that died while it copied.
        try Data("torn".utf8).write(to: URL(fileURLWithPath: path + ".before-4.unfinished"))
        try await Self.store(path, steps: 4).prepare()
        #expect(try copies() == ["notes.sqlite.before-4"])
        #expect(try Self.columns(of: path + ".before-4") == 3)
    }

    @Test func `an upgrade that ends in the middle keeps the copy from before its first step`() async throws {
        let folder = TemporaryDirectory(isMade: true)
        let path = "\(folder.path)/notes.sqlite"
        func copies() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".before-") }.sorted() }
        let first = Self.store(path, steps: 1)
        try await first.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('a')") }
        var broken = Self.migrator(steps: 2)
        broken.registerMigration("3") { try $0.execute(sql: "INSERT INTO absent VALUES (1)") }
        let second = Store(path: path, migrator: broken) { Failure(message: $0) }
        for _ in 1...2 {
            await #expect(throws: Failure.self) { try await second.prepare() }
            #expect(try copies() == ["notes.sqlite.before-2"])
            #expect(try Self.columns(of: path + ".before-2") == 1)
        }
        try await Self.store(path, steps: 3).prepare()
        #expect(try copies() == ["notes.sqlite.before-2"])
        try await Self.store(path, steps: 4).prepare()
        #expect(try copies() == ["notes.sqlite.before-4"])
    }

    @Test func `what a body throws is the domain's failure`() async throws {
        let folder = TemporaryDirectory(isMade: true)
        let store = Self.store("\(folder.path)/notes.sqlite", steps: 1)
        let failure = await #expect(throws: Failure.self) { try await store.write { try $0.execute(sql: "INSERT INTO absent VALUES (1)") } }
        #expect(failure?.message.contains("could not be written: ") == true && failure?.message.contains("no such table: absent") == true, "\(failure?.message ?? "")")
    }
}
