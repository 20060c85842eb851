import Foundation
import Glibc
@testable import ReluxDevLoop
import Testing

/// On real files. Events come in the order in which they happened, so what is not to be seen is written before what is.
@Suite struct SourceWatchTests {
    let sandbox: Sandbox
    let watch: SourceWatch

    init() throws {
        sandbox = try Sandbox()
        for name in ["Package.swift", "Sources/A/A.swift", "Tests/ATests/ATests.swift", ".build/debug/x.swift"] { try sandbox.write(name) }
        watch = try SourceWatch(packages: [sandbox.path])
        #expect(try watch.changes().isEmpty)
    }

    /// The next changes, from the package's folder.
    private func next() throws -> [String] {
        while true {
            var watched = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&watched, 1, 60_000) == 1, "nothing has happened")
            let changes = try watch.changes()
            if !changes.isEmpty { return changes.map { String($0.dropFirst(sandbox.path.count + 1)) } }
        }
    }

    @Test(arguments: ["Package.swift", "Sources/A/A.swift", "Sources/A/Feature.json", "Tests/ATests/ATests.swift"])
    func `a file that is written has changed`(name: String) throws {
        try sandbox.write(name, "// changed\n")
        #expect(try next() == [name])
    }

    @Test(arguments: [
        ".build/debug/x.swift", ".git/index", "Package.resolved", "README.md", "Sources/A/.A.swift.swp", "Sources/A/A.swift~", "Sources/A/4913",
        "Sources/A/#A.swift#", "Sources/A/.#A.swift", "Sources/A/A.swift.tmp", "Sources/.hidden/A.swift", "Other/A.swift",
    ])
    func `what a build or an editor makes for itself is not seen`(name: String) throws {
        try sandbox.write(name, "// changed\n")
        try sandbox.write("Package.swift", "// changed\n")
        #expect(try next() == ["Package.swift"])
    }

    @Test func `an editor that writes beside the file and renames is seen once, under the file's name`() throws {
        try sandbox.write("Sources/A/A.swift.tmp", "// changed\n")
        #expect(rename("\(sandbox.path)/Sources/A/A.swift.tmp", "\(sandbox.path)/Sources/A/A.swift") == 0)
        #expect(try next() == ["Sources/A/A.swift"])
    }

    @Test func `a file that goes has changed`() throws {
        try FileManager.default.removeItem(atPath: "\(sandbox.path)/Sources/A/A.swift")
        #expect(try next() == ["Sources/A/A.swift"])
    }

    @Test func `a folder that is made later is watched, with what was in it before anybody looked`() throws {
        try sandbox.write("Sources/B/Deep/B.swift")
        var seen = Set(try next())
        while !seen.contains("Sources/B/Deep/B.swift") { seen.formUnion(try next()) }
        #expect(seen.isSubset(of: ["Sources/B/Deep/B.swift"]))
        try sandbox.write("Sources/B/Deep/C.swift")
        #expect(try next() == ["Sources/B/Deep/C.swift"])
    }

    @Test func `a folder that is renamed is seen under its new name`() throws {
        #expect(rename("\(sandbox.path)/Sources/A", "\(sandbox.path)/Sources/B") == 0)
        var seen = Set(try next())
        while !seen.contains("Sources/B/A.swift") { seen.formUnion(try next()) }
        #expect(seen == ["Sources/A", "Sources/B/A.swift"])
        try sandbox.write("Sources/B/A.swift", "// changed\n")
        #expect(try next() == ["Sources/B/A.swift"])
    }

    @Test func `sources that were not there at the beginning are watched when they come`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("Package.swift")
        let watch = try SourceWatch(packages: [sandbox.path])
        try sandbox.write("Sources/A/A.swift")
        var seen: Set<String> = []
        while !seen.contains("\(sandbox.path)/Sources/A/A.swift") {
            var watched = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&watched, 1, 60_000) == 1, "nothing has happened")
            seen.formUnion(try watch.changes())
        }
    }

    @Test func `a package that is taken away is said by name`() throws {
        try FileManager.default.removeItem(atPath: sandbox.path)
        let error = #expect(throws: DevLoopError.self) { while true { _ = try next() } }
        #expect(error?.message == "\(sandbox.path) is gone")
    }

    @Test func `a package that is moved away is said by name`() throws {
        #expect(rename(sandbox.path, sandbox.path + "-elsewhere") == 0)
        defer { try? FileManager.default.removeItem(atPath: sandbox.path + "-elsewhere") }
        let error = #expect(throws: DevLoopError.self) { while true { _ = try next() } }
        #expect(error?.message == "\(sandbox.path) is gone")
    }

    @Test func `a new link of either kind has changed, and so it has when the file is written under its other name`() throws {
        let other = try sandbox.write("Other/O.swift")
        for (name, make) in [("Hard", link), ("Soft", symlink)] as [(String, @Sendable (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32)] {
            #expect(make(other, "\(sandbox.path)/Sources/A/\(name).swift") == 0)
            #expect(try next() == ["Sources/A/\(name).swift"])
            let file = try #require(FileHandle(forWritingAtPath: other))
            try file.write(contentsOf: Data("// changed\n".utf8))
            try file.close()
            #expect(try next() == ["Sources/A/\(name).swift"])
            try FileManager.default.removeItem(atPath: "\(sandbox.path)/Sources/A/\(name).swift")
            #expect(try next() == ["Sources/A/\(name).swift"])
        }
    }

    @Test func `a link to a folder is seen`() throws {
        try sandbox.write("Other/O.swift")
        #expect(symlink("\(sandbox.path)/Other", "\(sandbox.path)/Sources/B") == 0)
        #expect(try next() == ["Sources/B"])
    }

    @Test func `a folder that is not there cannot be watched, and is named`() {
        let error = #expect(throws: DevLoopError.self) { try SourceWatch(packages: ["/nowhere"]) }
        #expect(error?.code == "dev.watch" && error?.message.contains("/nowhere") == true)
    }
}
