import BusProbeKit
import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxSystem
import ReluxZeroMQ

/// A host of scripted members in a process of its own, for tests of the bus.
///
///     relux-bus-probe HOST ENDPOINT TAP-ENDPOINT JOURNAL-DIRECTORY
///     relux-bus-probe open FILE
///
/// Orders come on descriptor 3, replies and events go there; it ends when the test closes its end or dies.
@main struct Probe {
    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "open" { try runOpenTable(CommandLine.arguments[2]) }
        guard CommandLine.arguments.count == 5, fcntl(ControlLink.descriptorOfProbe, F_GETFD) >= 0 else {
            StandardError.write("usage: relux-bus-probe HOST ENDPOINT TAP-ENDPOINT JOURNAL-DIRECTORY, with a socket as descriptor 3")
            exit(64)
        }
        let link = ControlLink(descriptor: ControlLink.descriptorOfProbe)
        let context = try ZeroMQContext()
        let transport = try ZeroMQTransport(
            context: context, endpoint: CommandLine.arguments[2], tapEndpoint: CommandLine.arguments[3])
        let host = try ProbeHost(
            HostID(rawValue: CommandLine.arguments[1]), transport: transport,
            journals: try FileJournals(in: CommandLine.arguments[4])
        ) { event in
            // Without a test there is nobody to tell, and the orders' end is near.
            try? link.send(Message.event(event))
        }
        let (requests, feed) = AsyncStream.makeStream(of: Request.self)
        let reader = try BlockingThread(name: "relux-orders") {
            while let request = link.receive(Request.self) { feed.yield(request) }
            feed.finish()
        }
        for await request in requests {
            // An order that awaits a settlement must not hold up the orders that it may wait for.
            if case .say = request.order {
                Task { await obey(request, host, link) }
            } else {
                await obey(request, host, link)
            }
        }
        host.stop()
        reader.join()
        context.terminate()
    }

    private static func obey(_ request: Request, _ host: ProbeHost, _ link: ControlLink) async {
        let reply: Reply
        do { reply = try await host.perform(request.order) } catch { reply = .failed("\(error)") }
        try? link.send(Message.reply(request.number, reply))
    }
}
