import Foundation
import Glibc
@testable import ReluxControl
import ReluxSystem
import ReluxTestKit
import Testing

@Suite struct HeldFilesTests {
    private static let root = "/run/state"
    /// Two files of the machine that are not each other.
    private static let (one, other) = (FileIdentity(path: "/")!, FileIdentity(path: "/proc")!)

    private static func file(_ name: String, _ identity: FileIdentity = one, isLinked: Bool = true) -> HeldFiles.File {
        HeldFiles.File(identity: identity, path: name.hasPrefix("/") ? name : root + "/" + name, isLinked: isLinked)
    }

    @Test func `a file that was deleted, and is at the next look, was taken away`() {
        var held = HeldFiles(below: Self.root)
        #expect(held.on([5: Self.file("Notes/notes.sqlite")]).isEmpty)
        #expect(held.on([5: Self.file("Notes/notes.sqlite", isLinked: false)]).isEmpty)
        #expect(held.on([5: Self.file("Notes/notes.sqlite", isLinked: false)]) == ["Notes": ["notes.sqlite"]])
    }

    @Test func `a folder that was moved away takes its files along`() {
        var held = HeldFiles(below: Self.root)
        #expect(held.on([5: Self.file("Notes/a/b"), 6: Self.file("Notes/c", Self.other)]).isEmpty)
        let moved: [Int32: HeldFiles.File] = [5: Self.file("/backup/a/b"), 6: Self.file("/backup/c", Self.other)]
        #expect(held.on(moved).isEmpty)
        #expect(held.on(moved) == ["Notes": ["a/b", "c"]])
    }

    @Test func `a file that is closed behind its deletion, and another one under its descriptor, are none of it`() {
        var held = HeldFiles(below: Self.root)
        #expect(held.on([5: Self.file("Notes/log.1")]).isEmpty)
        #expect(held.on([5: Self.file("Notes/log.1", isLinked: false)]).isEmpty)
        #expect(held.on([5: Self.file("Notes/log.2", Self.other)]).isEmpty)
        #expect(held.on([5: Self.file("Notes/log.2", Self.other)]).isEmpty)
        #expect(held.on([:]).isEmpty)
    }

    @Test func `a file that has the number and the descriptor of one that was deleted is another one`() throws {
        // A database does this at its first write; file systems give such a number out again at once.
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        let folder = try run.createState(of: "Notes")
        var looked = HeldFiles(run)
        let first = open("\(folder)/notes.sqlite-journal", O_RDWR | O_CREAT, 0o600)
        #expect(looked.look().isEmpty)
        close(first)
        unlink("\(folder)/notes.sqlite-journal")
        let second = open("\(folder)/notes.sqlite-wal", O_RDWR | O_CREAT, 0o600)
        defer { close(second) }
        for _ in 1...3 { #expect(looked.look().isEmpty) }
    }

    @Test func `a file that lost its name before it was looked at was taken away too`() {
        var held = HeldFiles(below: Self.root)
        #expect(held.on([5: Self.file("Notes/notes.sqlite", isLinked: false)]).isEmpty)
        #expect(held.on([5: Self.file("Notes/notes.sqlite", isLinked: false)]) == ["Notes": ["notes.sqlite"]])
    }

    @Test func `a folder that is gone takes along what was in it, open or not`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        let folder = try run.createState(of: "Files")
        var held = HeldFiles(run)
        func taken() -> Bool { held.isFolderTaken("Files") }
        // An empty one is no loss.
        #expect(taken() == false)
        try FileManager.default.removeItem(atPath: folder)
        #expect(taken() == false)
        _ = try run.createState(of: "Files")
        try Data("a".utf8).write(to: URL(fileURLWithPath: folder + "/a.txt"))
        #expect(taken() == false)
        try FileManager.default.moveItem(atPath: folder, toPath: directory.path + "/elsewhere")
        _ = try run.createState(of: "Files")
        #expect(taken())
        // The next life begins with what is there.
        try Data("b".utf8).write(to: URL(fileURLWithPath: folder + "/b.txt"))
        #expect(taken() == false)
        held.begin("Files")
        try FileManager.default.removeItem(atPath: folder)
        #expect(taken() == false)
    }

    @Test func `what lies elsewhere is nobody's loss`() {
        var held = HeldFiles(below: Self.root)
        for _ in 1...3 { #expect(held.on([6: Self.file("/tmp/x", isLinked: false)]).isEmpty) }
    }

    @Test func `the descriptors of this process are read: a file is taken away when it is deleted, whatever it is named`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        let path = try run.createState(of: "Notes") + "/x (deleted)"
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        var held = HeldFiles(run)
        for _ in 1...3 { #expect(held.look().isEmpty) }
        try FileManager.default.removeItem(atPath: path)
        #expect(held.look().isEmpty)
        #expect(held.look() == ["Notes": ["x (deleted)"]])
    }

    @Test func `a file that is only read may be replaced, and one that is written may not`() throws {
        let directory = TemporaryDirectory()
        let run = RunDirectory(path: directory.path)
        try run.create()
        let folder = try run.createState(of: "Cart")
        for (name, flags, taken) in [("prices.json", O_RDONLY, [:]), ("cart.json", O_WRONLY, ["Cart": ["cart.json"]])] as [(String, Int32, [String: [String]])] {
            let path = "\(folder)/\(name)"
            try Data("[]".utf8).write(to: URL(fileURLWithPath: path))
            let descriptor = open(path, flags)
            defer { close(descriptor) }
            var held = HeldFiles(run)
            #expect(held.look().isEmpty)
            try Data("[1]".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(held.look().isEmpty)
            #expect(held.look() == taken, "\(name)")
        }
    }
}
