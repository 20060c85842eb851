import Relux
@testable import ReluxBus
import ReluxPlugin

extension Simulation {
    enum Event {
        case frame(to: Int, [UInt8])
        case subscription(at: Int, from: Int, [UInt8], isAdded: Bool)
        case picture(Int, ClusterPicture)
        case tick(Int)
        case settle(Int, ModuleID, Epoch, Delivery)
        /// The state of a module is written apart from its settlements.
        case capture(Int, ModuleID, Epoch)
        case emit(ModuleID, cause: Cause?)
        case crash(HostID)
        case restart(HostID)
        case leave(ModuleID)
        case arrive(ModuleID)
        case join(Int, ModuleID)
        case cutOff(Int, ModuleID)
        /// The host stays dead, and its modules are removed.
        case bury(HostID)
        case question(Int, CourierQuestion)
        case answer(Int, CourierAnswer)
        /// The sending thread tries a batch again that found no room.
        case retry(Int)
        // What goes wrong.
        case freeze(HostID, Duration)
        case stopBroker(Duration, isCrash: Bool)
        case brokerIsBack
        case partition(HostID, HostID, Duration)
        case fillDisk(HostID, Duration)
        case breakDisk(HostID)
        case losePower([HostID])
        // The hand-over of a module.
        case handOver(ModuleID)
        case seal(Int, ModuleID)
        case drained(Int, ModuleID, Epoch)
        case serve(Int, ModuleID)
        case checkHandOver(ModuleID)

        /// The process that it comes to.
        var life: Int? {
            switch self {
            case .frame(let life, _), .subscription(let life, _, _, _), .picture(let life, _), .tick(let life), .settle(let life, _, _, _),
                .capture(let life, _, _), .join(let life, _), .cutOff(let life, _), .answer(let life, _), .retry(let life), .seal(let life, _),
                .drained(let life, _, _), .serve(let life, _):
                life
            default: nil
            }
        }

        /// It is the broker's to do.
        var isBrokers: Bool {
            switch self {
            case .restart, .leave, .arrive, .bury, .question, .handOver, .checkHandOver: true
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

        var text: String {
            switch self {
            case .frame(let life, let bytes):
                "frame to \(life), \(bytes.count) bytes, " + String(decoding: bytes.prefix { $0 != 0 && $0 != 0xFF }, as: UTF8.self)
            case .subscription(let life, let from, _, let isAdded): "subscription at \(life) from \(from), \(isAdded)"
            case .picture(let life, let picture): "picture \(picture.version) to \(life)"
            case .tick(let life): "tick \(life)"
            case .settle(let life, let module, _, let delivery): "settle \(delivery.id) by \(module) in \(life)"
            case .answer(let life, let answer): "answer to \(life), \(answer.frames.count) frames"
            default: "\(self)"
            }
        }
    }

    mutating func handle(_ event: Event) {
        if let life = event.life, let until = frozen[life], until > now { return at(until, event) }
        if event.isBrokers, let back = brokerBackAt { return at(back, event) }
        switch event {
        case .frame(let to, let bytes): step(to, writes: false) { $0.receive(bytes, now: $1) }
        case .subscription(let at, let from, let prefix, let isAdded): take(prefix, at: at, from: from, isAdded: isAdded)
        case .picture(let to, let picture):
            hosts[to]?.version = picture.version
            hosts[to]?.recipients = picture.recipients
            step(to) { $0.apply(picture, now: $1) }
        case .tick(let life):
            hosts[life]?.tickAt = nil
            step(life) { $0.tick(now: $1) }
        case .settle(let life, let recipient, let epoch, let delivery): settle(life, recipient, epoch, delivery)
        case .capture(let life, let module, let epoch): capture(life, module, epoch)
        case .question(let life, let question): ask(question, life)
        case .answer(let life, let answer): step(life, writes: false) { $0.receive(answer, now: $1) }
        case .retry(let life): retry(life)
        case .emit(let module, let cause): if cause?.path.count ?? 0 < 3 { emit(module, for: cause) }
        case .cutOff(let life, let module): step(life) { $0.close(module, now: $1) }
        case .crash(let id): crash(id)
        case .restart(let id): restart(id)
        case .leave(let module): leave(module)
        case .arrive(let module): arrive(module)
        case .join(let life, let module):
            guard hosts[life] != nil, hosts[life]?.modules[module] == nil, handOvers[module] == nil else { return }
            join(module, life)
            publishPicture()
        case .bury(let id): bury(id)
        case .freeze(let id, let duration): freeze(id, duration)
        case .stopBroker(let duration, let isCrash): stopBroker(duration, isCrash: isCrash)
        case .brokerIsBack: brokerIsBack()
        case .partition(let one, let other, let duration): partitions[[one, other]] = now + duration
        case .fillDisk(let id, let duration): fullDisks[id] = now + duration
        case .breakDisk(let id): failingDisks.insert(id)
        case .losePower(let ids): losePower(ids)
        case .handOver(let module): handOver(module)
        case .seal(let life, let module): seal(module, life)
        case .drained(let life, let module, let epoch): drained(module, life, epoch)
        case .serve(let life, let module): serve(module, life)
        case .checkHandOver(let module): checkHandOver(module)
        }
    }
}
