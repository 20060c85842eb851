import BusProbeKit
import Relux
import ReluxControl

/// The events that the hosts of a world have reported by themselves, for tests to wait on.
struct Seen: Sendable {
    var came: [ModuleID: [Event.Came]] = [:]
    var answered: [ModuleID: [Answer]] = [:]
    var waiting: [String: Int] = [:]
    var observed: [ModuleID: [Int]] = [:]
    var stale: [HostID: Int] = [:]

    mutating func add(_ event: Event) {
        switch event {
        case .came(let came): self.came[came.module, default: []].append(came)
        case .waits(let gate): waiting[gate, default: 0] += 1
        case .answered(let module, let answer): answered[module, default: []].append(answer)
        case .observed(let module, let number): observed[module, default: []].append(number)
        case .stale(let host): stale[host, default: 0] += 1
        }
    }

    func numbers(_ module: ModuleID) -> [Int] { came[module, default: []].map(\.number) }
}
