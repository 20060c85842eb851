import Foundation
import Glibc
import ReluxSystem
import ReluxTestKit
import Testing

@Suite struct FileLockTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = TemporaryDirectory(isMade: true)
        path = directory.file("lock")
    }

    private func refused(_ body: () throws -> Void) -> FileLockError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FileLockError
        }
    }

    /// Whether it had to be taken anew.
    private func holds(_ lock: inout FileLock) throws -> Bool { try lock.hold() }

    @Test func `a lock whose file was deleted is taken anew, and nobody else gets it`() throws {
        var lock = try FileLock(path: path)
        #expect(try holds(&lock) == false)
        unlink(path)
        let isGone = !lock.isInPlace
        #expect(isGone)
        #expect(try holds(&lock))
        let isBack = lock.isInPlace
        #expect(isBack)
        #expect(FileLock.holder(of: path) == .process(getpid()))
        #expect(refused { _ = try FileLock(path: path) }?.owner == getpid())
    }

    @Test(arguments: ["1\n", "garbage", ""])
    func `the kernel's word counts where the file says something else, and the holder puts its own back`(text: String) throws {
        var lock = try FileLock(path: path)
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        close(descriptor)
        #expect(FileLock.holder(of: path) == .process(getpid()))
        #expect(try holds(&lock))
        #expect(try holds(&lock) == false)
        #expect(FileLock.holder(of: path) == .process(getpid()))
    }

    @Test func `what lies in its place is set aside when no process can lock it`() throws {
        var lock = try FileLock(path: path)
        unlink(path)
        #expect(mkdir(path, 0o700) == 0)
        #expect(try holds(&lock))
        #expect(FileLock.holder(of: path) == .process(getpid()))
        #expect(rmdir("\(path).replaced-\(getpid())") == 0)
    }

    @Test func `a file that somebody else has made in its place is locked too`() throws {
        var lock = try FileLock(path: path)
        unlink(path)
        try "4711\n".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(FileLock.holder(of: path) == .nobody)
        #expect(try holds(&lock))
        #expect(FileLock.holder(of: path) == .process(getpid()))
    }

    @Test func `whoever has come into its place meanwhile is the one`() throws {
        var lock = try FileLock(path: path, removesFile: true)
        unlink(path)
        let other = try FileLock(path: path)
        let error = refused { _ = try lock.hold() }
        #expect(error?.isHeld == true)
        // The file that the loser of the lock lets go is no longer its own.
        _ = consume lock
        let isOthers = other.isInPlace
        #expect(isOthers)
        #expect(FileLock.holder(of: path) == .process(getpid()))
    }

    @Test(arguments: ["nowhere", "."]) func `a link in its place is set aside, wherever it leads`(target: String) throws {
        try #require(symlink(target, path) == 0)
        do { _ = try FileLock(path: path) }
        #expect(unlink("\(path).replaced-\(getpid())") == 0)
    }

    @Test func `a pipe or a socket in its place is set aside`() throws {
        try #require(mkfifo(path, 0o600) == 0)
        do { _ = try FileLock(path: path) }
        #expect(unlink("\(path).replaced-\(getpid())") == 0)
        unlink(path)
        try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        do { _ = try FileLock(path: path) }
        #expect(unlink("\(path).replaced-\(getpid())") == 0)
    }

    @Test func `a lock whose directory was deleted waits for another one`() throws {
        let folder = directory.file("folder")
        #expect(mkdir(folder, 0o700) == 0)
        var lock = try FileLock(path: folder + "/lock")
        unlink(folder + "/lock")
        rmdir(folder)
        #expect(refused { _ = try lock.hold() }?.code == ENOENT)
        #expect(mkdir(folder, 0o700) == 0)
        #expect(try holds(&lock))
        unlink(folder + "/lock")
        rmdir(folder)
    }
}
