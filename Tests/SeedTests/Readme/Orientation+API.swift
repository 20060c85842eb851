// Seed 1, "State Snapshots and Relays": what stands in the API module, as printed.
import Relux

public enum DeviceOrientation: Sendable, Equatable {
    case portrait, landscape
}

public struct OrientationSnapshot: Relux.StateSnapshot {
    public let orientation: DeviceOrientation
    public let isMonitoring: Bool
}

public typealias OrientationRelay = Relux.UI.StateRelay<OrientationSnapshot>

public enum OrientationAction: Relux.Action {
    case turned(DeviceOrientation)
    case monitoring(Bool)
}

public enum OrientationEffect: Relux.Effect {
    case startMonitoring
}
