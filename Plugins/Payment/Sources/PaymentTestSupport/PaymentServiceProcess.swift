internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import Synchronization

/// The payment service that ships with the domain, as a process of a test: to be killed, delayed and made to fail.
///
/// It keeps its port and its ledger over all of its lives.
public final class PaymentServiceProcess: Sendable {
    public struct Ledger: Sendable, Decodable, Equatable {
        public let captures: [String: Int64]
        public let refunds: [String: Int64]
        /// Questions of this life, without those for the ledger.
        public let asked: Int
    }

    public struct Fault: Sendable, Encodable {
        public var path: String
        public var times: Int
        /// Seconds.
        public var delay: Double
        public var status: Int?
        /// What it answers with the status, as it is.
        public var text: String?
        /// The question is carried out all the same.
        public var done: Bool
        /// The connection ends without an answer.
        public var drop: Bool
        /// The service ends without an answer.
        public var die: Bool

        public init(
            path: String, times: Int = 1_000, delay: Double = 0, status: Int? = nil, text: String? = nil, done: Bool = false, drop: Bool = false,
            die: Bool = false
        ) {
            self.path = path
            self.times = times
            self.delay = delay
            self.status = status
            self.text = text
            self.done = done
            self.drop = drop
            self.die = die
        }
    }

    public struct Trouble: Error, CustomStringConvertible {
        public let description: String
    }

    private struct Life {
        var process: Process?
        var port = 0
    }
    private let life = Mutex(Life())
    private let script: String
    private let ledger: String

    /// - Parameter ledger: the path of its ledger.
    public init(ledger: String) {
        self.ledger = ledger
        script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Service/payment-service").path
    }

    deinit {
        if let process = life.withLock({ $0.process }) { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    public var url: String { "http://127.0.0.1:\(life.withLock { $0.port })" }

    /// Returns when it listens: at the first time on a free port, then on the same.
    ///
    /// - Parameter ledgerLimit: bytes that its ledger has room for; nil is any number.
    public func start(ledgerLimit: Int? = nil) async throws {
        let (script, ledger, port) = (script, ledger, life.withLock { $0.port })
        let (process, found) = try await Self.offPool { () throws -> (Process, Int) in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let limited = ledgerLimit.map { ["prlimit", "--fsize=\($0)"] } ?? []
            process.arguments = limited + ["python3", script, "--port", "\(port)", "--ledger", ledger]
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardInput = FileHandle.nullDevice
            try process.run()
            var line = Data()
            while let byte = try pipe.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) { line += byte }
            let text = String(decoding: line, as: UTF8.self)
            guard let port = text.split(separator: ":").last.flatMap({ Int($0) }) else {
                throw Trouble(description: "\(script) did not begin to listen; it said '\(text)'")
            }
            return (process, port)
        }
        life.withLock { $0 = Life(process: process, port: found) }
    }

    /// SIGKILL, and the end of the process.
    public func kill() async throws {
        guard let process = life.withLock({ life in
            defer { life.process = nil }
            return life.process
        }) else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        try await Self.offPool { process.waitUntilExit() }
    }

    public func set(_ fault: Fault) async throws {
        var request = URLRequest(url: try address("faults"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(fault)
        _ = try await URLSession.shared.data(for: request)
    }

    public func ledger() async throws -> Ledger {
        let (data, _) = try await URLSession.shared.data(from: try address("ledger"))
        return try JSONDecoder().decode(Ledger.self, from: data)
    }

    private func address(_ path: String) throws -> URL {
        guard let url = URL(string: "\(url)/\(path)") else { throw Trouble(description: "\(url)/\(path) is no URL") }
        return url
    }

    /// What blocks does so on a thread of its own.
    private static func offPool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { done in
            Thread { done.resume(with: Result { try body() }) }.start()
        }
    }
}
