import Foundation
import Glibc
@testable import ReluxJournal
import ReluxTestKit
import ReluxWire
import Testing

/// On a real disk, with real threads and processes.
@Suite struct LiveTests {
    @Test func `a journal is opened whatever lies in the place of its lock or of a draft`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        var environment = try JournalEnvironment.live()
        // Within one millisecond nothing that is set aside replaces another.
        environment.wallMilliseconds = { 4711 }
        let path = scratch.path + "/Auth"
        try JournalWriter(directory: path, module: "Auth", epoch: Epoch(1), environment: environment).close()
        var epoch: UInt64 = 1
        for make in [{ mkdir($0, 0o700) }, { mkfifo($0, 0o600) }, { mknod($0, S_IFSOCK | 0o600, 0) }, { symlink("nowhere", $0) }] as [(String) -> Int32] {
            epoch += 1
            let draft = "\(path)/\(JournalFormat.segmentName(epoch).dropLast(JournalFormat.segmentSuffix.count))\(JournalFormat.draftSuffix)"
            for place in ["\(path)/\(JournalFormat.lockName)", draft] {
                unlink(place)
                try #require(make(place) == 0)
            }
            // A directory with something in it is no draft, and is kept.
            if epoch == 2 { try #require(mkdir(draft + "/kept", 0o700) == 0) }
            #expect(try JournalListing.epochs(in: scratch.path, environment: environment) { Issue.record("\($0): \($1)") } == ["Auth": Epoch(epoch - 1)])
            let journal = try JournalWriter(directory: path, module: "Auth", epoch: Epoch(epoch), environment: environment)
            #expect(journal.recovery.lastEpoch == Epoch(epoch - 1))
            try journal.checkPlace()
            journal.close()
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.contains { $0.contains(".seg.new.replaced-4711") })
        #expect(names.filter { $0.hasPrefix("lock.replaced-") }.sorted() == ["lock.replaced-4711"] + (1...3).map { "lock.replaced-4711-\($0)" })
    }

    @Test func `what is no directory in a journal's place is refused with that reason`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let path = scratch.path + "/Auth"
        try Data().write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: JournalError.self) {
            _ = try JournalWriter(directory: path, module: "Auth", epoch: Epoch(1), environment: .live())
        }
        #expect(error?.code == .failed && error?.remedy.hasPrefix("a directory belongs here: move away what lies there") == true)
    }

    @Test func `a journal on a real disk comes back as it was`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let environment = try JournalEnvironment.live()
        let path = scratch.path + "/Auth"
        var maker = RunMaker()
        var appended: [[JournalRun]] = []
        for epoch in 1...3 as ClosedRange<UInt64> {
            let journal = try JournalWriter(directory: path, module: "Auth", epoch: Epoch(epoch), environment: environment)
            for _ in 0..<50 {
                appended.append(try maker.batch())
                let receipt = try journal.append(appended.last!, durability: .machine)
                #expect(receipt.isOnDisk)
            }
            try journal.seal()
        }
        let reader = try JournalReader(directory: path, module: "Auth", environment: environment)
        var runs: [[JournalRun]] = []
        while case let more = try reader.next(), !more.isEmpty { runs += more.map(\.runs).filter { !$0.isEmpty } }
        #expect(runs == appended)
        #expect(access(path + "/lock", R_OK) == 0)
        var found = stat()
        #expect(stat(path, &found) == 0 && found.st_mode & 0o777 == 0o700)
        #expect(stat(path + "/0000000000000001.seg", &found) == 0 && found.st_mode & 0o777 == 0o600)
    }

    @Test func `a directory that cannot be made or entered is an error with its name`() throws {
        let environment = try JournalEnvironment.live()
        var error = #expect(throws: JournalError.self) {
            try JournalWriter(directory: "/proc/relux/Auth", module: "Auth", epoch: Epoch(1), environment: environment)
        }
        #expect(error?.file == "/proc/relux/Auth")
        let scratch = TemporaryDirectory(isMade: true)
        #expect(FileManager.default.createFile(atPath: scratch.path + "/Auth", contents: nil))
        error = #expect(throws: JournalError.self) {
            try JournalWriter(directory: scratch.path + "/Auth", module: "Auth", epoch: Epoch(1), environment: environment)
        }
        #expect(error?.file == scratch.path + "/Auth")
    }

    /// The thing that lies in the place of a segment.
    enum Impostor: String, CaseIterable { case directory, link, pipe, socket }

    @Test(arguments: Impostor.allCases) func `a segment that is no file is named with what belongs there, whoever opens it`(_ kind: Impostor) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let environment = try JournalEnvironment.live()
        let path = scratch.path + "/Auth"
        try JournalWriter(directory: path, module: "Auth", epoch: Epoch(1), environment: environment).close()
        let file = path + "/0000000000000001.seg"
        try FileManager.default.removeItem(atPath: file)
        let remedy: String
        switch kind {
        case .directory:
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            remedy = "a file belongs here: "
        case .link:
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file)
            remedy = "it is a symbolic link, "
        case .pipe:
            #expect(mkfifo(file, 0o600) == 0)
            remedy = "it is a pipe, a socket or a device: "
        case .socket:
            #expect(mknod(file, S_IFSOCK | 0o600, 0) == 0)
            remedy = "it is a pipe, a socket or a device: "
        }
        let errors = [
            #expect(throws: JournalError.self) { try JournalReader(directory: path, module: "Auth", environment: environment) },
            #expect(throws: JournalError.self) {
                try JournalWriter(directory: path, module: "Auth", epoch: Epoch(2), environment: environment)
            },
            try JournalReport(directory: path, module: "Auth", environment: environment).faults.first,
        ]
        for error in errors {
            #expect(error?.file == file && error?.code == .failed)
            #expect(error?.remedy.hasPrefix(remedy) == true, "\(error?.remedy ?? "")")
        }
    }

    @Test func `a reader in another thread hears everything once, in order, while it is written`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let environment = try JournalEnvironment.live()
        let path = scratch.path + "/Auth"
        var options = JournalOptions()
        options.firstSegment = 64 << 10
        options.segmentLimit = 128 << 10
        let journal = try JournalWriter(directory: path, module: "Auth", epoch: Epoch(1), options: options, environment: environment)
        let count: UInt64 = 4000
        async let heard = Self.follow(path, until: count, environment)
        var maker = RunMaker()
        var last: UInt64 = 0
        while last < count {
            let run = try maker.effects(Int(maker.random.next() % 8) + 1, payload: Int(maker.random.next() % 300))
            _ = try journal.append([run])
            last = run.sequences!.upperBound
            if last % 50 < 8 { await Task.yield() }
        }
        #expect(try await heard >= count)
    }

    /// On a thread of its own: the pool is never blocked.
    private static func follow(_ path: String, until count: UInt64, _ environment: JournalEnvironment) async throws -> UInt64 {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result {
                    let reader = try JournalReader(directory: path, module: "Auth", environment: environment)
                    var last: UInt64 = 0
                    while last < count {
                        for batch in try reader.next(byteBudget: 64 << 10) {
                            for run in batch.runs {
                                guard let sequences = run.sequences else { continue }
                                if sequences.lowerBound != last + 1 { throw Misordered(after: last, found: sequences) }
                                last = sequences.upperBound
                            }
                        }
                        sched_yield()
                    }
                    return last
                })
            }
        }
    }

    private struct Misordered: Error { var after: UInt64, found: ClosedRange<UInt64> }

    @Test func `of two processes one writes, and the other is told which`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let environment = try JournalEnvironment.live()
        let path = scratch.path + "/Auth"
        let journal = try JournalWriter(directory: path, module: "Auth", epoch: Epoch(1), environment: environment)
        // Another process asks for the lock as this library does.
        #expect(try Self.flock(path + "/lock") == 1)
        let error = #expect(throws: JournalError.self) {
            try JournalWriter(directory: path, module: "Auth", epoch: Epoch(2), environment: environment)
        }
        #expect(error?.reason == "process \(getpid()) (epoch 1) writes this journal")
        journal.close()
        #expect(try Self.flock(path + "/lock") == 0)
    }

    @Test func `a writer killed at any moment has lost nothing that it said was accepted, and a reader beside it hears it all in order`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let environment = try JournalEnvironment.live()
        let path = scratch.path + "/Auth"
        var reader: JournalReader?
        var heard: UInt64 = 0
        for epoch in 1...12 as ClosedRange<UInt64> {
            let probe = Process()
            probe.executableURL = URL(fileURLWithPath: Self.probe)
            probe.arguments = [path, "\(2 * epoch - 1)"]
            let output = Pipe()
            probe.standardOutput = output
            try probe.run()
            // This number of bytes of its words, then it dies in the middle of whatever it does.
            var words = Data()
            while words.count < 400 * Int(epoch) {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                words += more
                if reader == nil { reader = try? JournalReader(directory: path, module: "Auth", environment: environment) }
                try heard = Self.hear(reader, after: heard)
                await Task.yield()
            }
            kill(probe.processIdentifier, SIGKILL)
            words += output.fileHandleForReading.readDataToEndOfFile()
            probe.waitUntilExit()
            #expect(probe.terminationReason == .uncaughtSignal)
            let lines = String(decoding: words, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let accepted = try #require(lines.last.flatMap { UInt64($0) })
            try heard = Self.hear(reader, after: heard)
            #expect(heard >= accepted)
            let journal = try JournalWriter(directory: path, module: "Auth", epoch: Epoch(2 * epoch), environment: environment)
            #expect(journal.numbers.head(of: Sample.effects) == heard)
            #expect(journal.recovery.hole == nil)
            journal.close()
        }
        #expect(try JournalReport(directory: path, module: "Auth", environment: environment).faults.isEmpty)
    }

    private static func hear(_ reader: JournalReader?, after last: UInt64) throws -> UInt64 {
        var last = last
        while let batches = try reader?.next(byteBudget: 64 << 10), !batches.isEmpty {
            for sequences in batches.flatMap(\.runs).compactMap(\.sequences) {
                if sequences.lowerBound != last + 1 { throw Misordered(after: last, found: sequences) }
                last = sequences.upperBound
            }
        }
        return last
    }

    /// Beside the tests, out of the same build.
    private static let probe = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("relux-journal-probe").path

    private static func flock(_ path: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--nonblock", path, "true"]
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
