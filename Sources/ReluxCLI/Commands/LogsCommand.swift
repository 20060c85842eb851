import ArgumentParser
import Foundation
import ReluxBus
import ReluxTap
import ReluxWire

struct LogsCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Prints what the cluster's processes have written.",
        discussion: "A module's name shows the log of the process that runs it; so do `broker` and `supervisor`.")
    static let examples = ["relux logs Auth -n 50", "relux logs -f"]

    @Argument(help: "A module or process; all without one.") var module: String?
    @Flag(name: .shortAndLong, help: "Go on with what is written from now on.") var follow = false
    @Option(name: .short, help: ArgumentHelp("So many last lines of each.", valueName: "lines")) var n: Int = 200
    @OptionGroup var common: CommonOptions

    private static let pollMicroseconds: UInt32 = 100_000

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let run = try session.location().run
        var logs = try files(run, session)
        let isSingle = module != nil
        for index in logs.indices {
            let lines = logs[index].readLines()
            for line in lines.suffix(max(0, n)) { show(line, of: logs[index].name, isSingle, session) }
        }
        guard follow else { return .ok }
        let interruption = Interruption()
        let clock = ContinuousClock()
        let end = session.options.timeout.map { clock.now + $0.duration }
        while !interruption.hasCome {
            if let end, clock.now >= end { return .ok }
            for index in logs.indices {
                for line in logs[index].readLines() { show(line, of: logs[index].name, isSingle, session) }
            }
            usleep(Self.pollMicroseconds)
        }
        return .interrupted
    }

    private func files(_ run: RunDirectory, _ session: CommandSession) throws(CLIError) -> [LogFile] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: run.logs)) ?? [])
            .filter { $0.hasSuffix(".log") }.sorted()
        guard let module else {
            guard !names.isEmpty else {
                throw CLIError(.notFound, "logs.none", "there are no logs in \(run.logs)", hint: "start it: relux up")
            }
            return names.map { LogFile(name: String($0.dropLast(4)), path: "\(run.logs)/\($0)") }
        }
        var process = module
        if !FileManager.default.fileExists(atPath: run.log(of: module)),
            let client = try? BrokerClient(run: run, patience: .zero),
            let found = try? session.status(client).modules.first(where: { $0.id.rawValue == module })
        {
            process = found.host.rawValue
        }
        guard FileManager.default.fileExists(atPath: run.log(of: process)) else {
            throw CLIError(
                .notFound, "logs.unknown", "there is no log of '\(module)' in \(run.logs)",
                hint: NearestName.hint(module, among: names.map { String($0.dropLast(4)) }))
        }
        return [LogFile(name: process, path: run.log(of: process))]
    }

    private func show(_ line: String, of name: String, _ isSingle: Bool, _ session: CommandSession) {
        if session.format.isJSON {
            session.console.out(
                JSONValue.object([
                    .init("schema", "relux.log/1"), .init("process", .string(name)), .init("line", .string(line)),
                ]).text())
        } else {
            session.print((isSingle ? "" : session.style(name, .cyan) + "  ") + TerminalText.escaped(line))
        }
    }
}

/// A log that grows; only whole lines are read.
private struct LogFile {
    let name: String
    let path: String
    private var offset: UInt64 = 0

    /// A log of any size is read from here before its end.
    private static let byteLimit: UInt64 = 4 * 1024 * 1024

    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    mutating func readLines() -> [String] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        guard let size = try? handle.seekToEnd() else { return [] }
        // A rotated file starts again.
        if size < offset { offset = 0 }
        if size - offset > Self.byteLimit { offset = size - Self.byteLimit }
        guard size > offset, (try? handle.seek(toOffset: offset)) != nil,
            let data = try? handle.read(upToCount: Int(size - offset)), let end = data.lastIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        let whole = data[data.startIndex...end]
        offset += UInt64(whole.count)
        return whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
