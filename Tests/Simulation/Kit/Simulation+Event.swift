import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
@testable import ReluxRegistry
import ReluxSupervisor

extension Simulation {
    /// An event of a process, named by its life, or of the machine. Small, for many wait in a queue.
    enum Event {
        // On the bus.
        case frame(to: Int, [UInt8])
        indirect case subscription(at: Int, from: Int, [UInt8], isAdded: Bool)
        case tick(Int)
        indirect case answer(Int, CourierAnswer)
        /// The sending thread takes what was said.
        case pull(Int)
        /// The sending thread tries a batch again that found no room.
        case retry(Int)
        /// This number of batches of a module's journal is on the disk.
        indirect case synced(Int, ModuleID, Int)
        // In a host.
        case boot(Int)
        case speak(Int)
        indirect case order(Int, HostOrder)
        indirect case machine(Int, HostMachine.Event)
        case machineTick(Int)
        indirect case setUp(Int, ModuleID, Attempt)
        indirect case cutDrain(Int, ModuleID, Epoch)
        case cutOff(Int, ModuleID)
        case exit(Int, Int32)
        indirect case settle(Int, ModuleID, Epoch, Delivery)
        /// The effects that the handlers of a module have ended are said, all of them together.
        indirect case report(Int, ModuleID, Epoch)
        /// The state of a module is written apart from its settlements.
        indirect case capture(Int, ModuleID, Epoch)
        indirect case place(Int, ModuleID, Epoch, Relux.SchedulePlace)
        // In the broker.
        case bootBroker(Int)
        indirect case toBroker(Int, Registry.Event)
        case brokerTurn(Int)
        case brokerTick(Int)
        indirect case question(Int, CourierQuestion, Int)
        /// A line to a broker stands.
        case connected(Int, Int)
        // In the supervisor.
        case startSupervisor
        indirect case supervise(Int, SupervisorMachine.Event)
        case supervisorTick(Int)
        indirect case obey(Int, SupervisorOrder)
        // From outside.
        indirect case emit(ModuleID, cause: Cause?)
        indirect case wish(Wish)
        case care
        indirect case fault(Fault)

        /// The process that it comes to.
        var life: Int? {
            switch self {
            case .frame(let life, _), .subscription(let life, _, _, _), .tick(let life), .answer(let life, _), .pull(let life), .retry(let life), .synced(let life, _, _),
                .boot(let life), .speak(let life), .order(let life, _), .machine(let life, _), .machineTick(let life),
                .setUp(let life, _, _), .cutDrain(let life, _, _), .cutOff(let life, _), .exit(let life, _), .settle(let life, _, _, _), .report(let life, _, _), .capture(let life, _, _), .place(let life, _, _, _), .bootBroker(let life), .toBroker(let life, _),
                .brokerTurn(let life), .brokerTick(let life), .question(_, _, let life), .connected(let life, _), .supervise(let life, _),
                .supervisorTick(let life), .obey(let life, _):
                life
            case .startSupervisor, .emit, .wish, .care, .fault: nil
            }
        }

        /// It goes on for ever, and changes nothing where all is well.
        var isIdle: Bool {
            switch self {
            case .brokerTick, .brokerTurn, .care, .order(_, .ping), .obey(_, .ping), .toBroker(_, .host(_, .pong)),
                .toBroker(_, .supervisor(_, .pong, plugins: _)):
                true
            default: false
            }
        }

        /// For the digest.
        var mark: UInt64 {
            switch self {
            case .frame(let life, let bytes): UInt64(life) << 32 | UInt64(bytes.count)
            default: UInt64(life ?? 0)
            }
        }

        /// The requests, answers and stream heads in a frame, for a trace.
        private static func repairs(in bytes: [UInt8]) -> String {
            guard let frame = try? Frame(decoding: bytes) else { return "" }
            let records = frame.records.compactMap { record -> String? in
                switch record {
                case .fetch, .head, .gone: "\(record)"
                case .stream, .effect, .settled, .snapshot, .member, .ready, .acked, .cursor, .state, .kept, .attempt, .dead, .request, .refused, .schedule: nil
                }
            }
            return records.isEmpty ? "" : " of \(frame.publisher) \(frame.epoch): " + records.joined(separator: ", ")
        }

        var text: String {
            switch self {
            case .frame(let life, let bytes):
                "frame to \(life), \(bytes.count) bytes, " + String(decoding: bytes.prefix { $0 != 0 && $0 != 0xFF }, as: UTF8.self)
                    + Self.repairs(in: bytes)
            case .subscription(let life, let from, _, let isAdded): "subscription at \(life) from \(from), \(isAdded)"
            case .order(let life, .picture(let picture)): "picture \(picture.version) to \(life)"
            case .order(let life, .welcome(let epochs, let picture)): "welcome \(life) \(epochs), picture \(picture.version)"
            case .tick(let life): "tick \(life)"
            case .settle(let life, let module, _, let delivery): "settle \(delivery.id) by \(module) in \(life)"
            case .answer(let life, let answer): "answer to \(life), \(answer.frames.count) frames"
            case .toBroker(let life, .host(_, .hello(let hello))):
                "to \(life): hello \(hello.host) \(hello.pid) "
                    + "\(hello.modules.map { "\($0.declaration.id) \($0.epoch?.rawValue ?? 0) \($0.state.phase)" })"
            case .toBroker(let life, .host(let connection, let message)): "to \(life) from \(Simulation.life(of: connection)): \(message)"
            case .toBroker(let life, .supervisor(_, let message, _)): "to \(life) from the supervisor: \(message)"
            case .toBroker(let life, .client(_, let request, _)): "to \(life): \(request)"
            default: "\(self)"
            }
        }
    }

    mutating func handle(_ event: Event) {
        if let life = event.life, let until = frozen[life], until > now { return at(until, event) }
        switch event {
        case .frame(let to, let bytes): step(to, writes: false) { $0.receive(bytes, now: $1) }
        case .subscription(let at, let from, let prefix, let isAdded): take(prefix, at: at, from: from, isAdded: isAdded)
        case .tick(let life):
            // Another one may have come first, or be due first.
            guard let due = hosts[life]?.tickAt, due <= now else { return }
            hosts[life]?.tickAt = nil
            turn(life)
        case .answer(let life, let answer): step(life, writes: false) { $0.receive(answer, now: $1) }
        case .pull(let life): turn(life)
        case .retry(let life): retry(life)
        case .synced(let life, let module, let count): synced(module, count, life)
        case .boot(let life): boot(life)
        // Nothing is said before the hello.
        case .speak(let life): if hosts[life]?.machine.helloSaidAt != nil { say(.pong(stalled: []), life) }
        case .order(let life, let order): obey(order, life)
        case .machine(let life, let event): take(event, life)
        case .machineTick(let life): machineTick(life)
        case .setUp(let life, let module, let attempt): setUp(module, attempt, life)
        case .cutDrain(let life, let module, let epoch): cutDrain(module, life, epoch)
        case .cutOff(let life, let module): step(life) { $0.close(module, now: $1) }
        case .exit(let life, let status): exit(life, status)
        case .settle(let life, let recipient, let epoch, let delivery): settle(life, recipient, epoch, delivery)
        case .report(let life, let module, let epoch): report(life, module, epoch)
        case .capture(let life, let module, let epoch): capture(life, module, epoch)
        case .place(let life, let module, let epoch, let place): self.place(life, module, epoch, place)
        case .bootBroker(let life): bootBroker(life)
        case .toBroker(let life, let event): brokerHears(event, life)
        case .brokerTurn(let life): brokerTurn(life)
        case .brokerTick(let life): brokerTick(life)
        case .question(let life, let question, let broker): ask(question, life, broker)
        case .connected(let life, let broker): connected(life, broker)
        case .startSupervisor: startSupervisor()
        case .supervise(let life, let event): supervise(event, life)
        case .supervisorTick(let life): supervisorTick(life)
        case .obey(let life, let order): supervise(.order(order), life)
        case .emit(let module, let cause): if cause?.path.count ?? 0 < 3 { emit(module, for: cause) }
        case .wish(let wish): ask(for: wish)
        case .care: care()
        case .fault(let fault): strike(fault)
        }
    }
}
