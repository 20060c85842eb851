import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import Synchronization
import Testing

extension EndToEnd {
    @Suite struct Secrets {
        @Test(arguments: Placement.allCases)
        func `a password is in no frame, no log, no tap, no crash report and no registry`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                // Distinct from anything else, and in no argument of any process.
                let password = "Wanderer-\(UInt64.random(in: .min ... .max))-Nebelmeer"
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                let frames = try await FrameCapture(cluster)
                for round in 0..<2 {
                    let effect = round == 0 ? "register" : "login"
                    let outcome = try await cluster.cli(
                        "effect", "send", "Auth.Business.Effect.\(effect)", #"{"name": "caspar"}"#, "--secret", "password",
                        "--trace", input: password + "\n")
                    #expect(outcome.status == 0, "\(outcome)")
                    #expect(!outcome.description.contains(password))
                    try await tap.effect(effect) { $0.path == "Auth.Business.Effect.\(effect)" }
                }
                let shown = try #require(tap.effects.first { $0.caseName == "login" })
                #expect(shown.payload["login"]?["password"]?.text == "•••")

                // A crash while a session is open: its report tells of effects in flight.
                let auth = try await cluster.client.module("Auth")
                let log = cluster.run.log(of: auth.host.rawValue)
                Glibc.kill(auth.pid, SIGSEGV)
                try await offPool {
                    _ = try poll(for: "a backtrace in \(log)", watching: [cluster.run.logs]) {
                        String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self).contains("done ***") ? true : nil
                    }
                }
                // Swift's handler ends by letting the faulty instruction fault again; a signal from outside has none.
                Glibc.kill(auth.pid, SIGSEGV)
                _ = try await cluster.client.status(when: "Auth to be ready again") { status in
                    status.modules.contains { $0.id.rawValue == "Auth" && $0.epoch > auth.epoch && $0.state.phase == .ready }
                }
                try await tap.end()
                let captured = try await frames.end()
                #expect(captured.contains { $0.range(of: Data("register".utf8)) != nil }, "the frames of the login were captured")
                #expect(captured.allSatisfy { $0.range(of: Data(password.utf8)) == nil })
                #expect(!tap.lines.contains { $0.text().contains(password) })

                var files = 0
                let walk = FileManager.default.enumerator(atPath: cluster.run.path)
                while let name = walk?.nextObject() as? String {
                    guard let data = FileManager.default.contents(atPath: "\(cluster.run.path)/\(name)") else { continue }
                    files += 1
                    #expect(data.range(of: Data(password.utf8)) == nil, "\(name) tells the password")
                }
                #expect(files > 8, "logs, crash reports, databases and the registry were read")
            }
        }
    }
}

/// Every byte that the hosts say to taps and to each other, as it goes over the sockets.
private final class FrameCapture: Sendable {
    private let (bus, tap) = (Watched<[Data]>([]), Watched<[Data]>([]))
    private let isEnding = Atomic(false)
    private let ended = Signal("the end of the capture")

    /// Returns when every host is heard on the bus, and the one of Auth in its tap, too.
    init(_ cluster: Cluster) async throws {
        let hosts = try await cluster.client.status().picture.hosts
        let endpoints = hosts.map(\.endpoint).filter { !$0.isEmpty }
        let taps = hosts.map(\.tapEndpoint).filter { !$0.isEmpty }
        Thread { [self] in
            defer { ended.fire() }
            // Another subscription, behind the one to everything: a host answers it; WireFormat.md, Joining.
            guard let context = try? ZeroMQContext(), let busSocket = Self.socket(in: context, [[], Self.marker], endpoints),
                let tapSocket = Self.socket(in: context, [[]], taps)
            else { return }
            var poller = Poller(capacity: 2)
            poller.add(busSocket)
            poller.add(tapSocket)
            while !isEnding.load(ordering: .relaxed) {
                guard let count = try? poller.wait(milliseconds: 50), count > 0 else { continue }
                while let frame = try? busSocket.receiveBytes() { bus.update { $0.append(Data(frame)) } }
                while let frame = try? tapSocket.receiveBytes() { tap.update { $0.append(Data(frame)) } }
            }
        }.start()
        try await bus.wait(for: "the answers of all hosts") { $0.count { $0.starts(with: Self.marker) } >= endpoints.count }
        // A tap answers nothing: it is heard from some moment on.
        let clock = ContinuousClock()
        let end = clock.now + watchdog
        while !tap.value.contains(where: { $0.range(of: Data("Auth.".utf8)) != nil }) {
            guard clock.now < end else { throw HarnessError("no tap tells of an effect of Auth") }
            try await Tap.warmUp(cluster)
        }
    }

    private static let marker = [0xFF] + Array("ready.capture-of-frame".utf8) + Array("capture".utf8)

    private static func socket(in context: ZeroMQContext, _ subscriptions: [[UInt8]], _ endpoints: [String]) -> ZeroMQSocket? {
        guard let socket = try? ZeroMQSocket(.sub, in: context) else { return nil }
        for subscription in subscriptions { guard (try? socket.subscribe(subscription)) != nil else { return nil } }
        for endpoint in endpoints { guard (try? socket.connect(endpoint)) != nil else { return nil } }
        return socket
    }

    func end() async throws -> [Data] {
        isEnding.store(true, ordering: .relaxed)
        try await ended.wait()
        return bus.value + tap.value
    }
}
