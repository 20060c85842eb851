// Seed 1, "SnapshotProviding": the bodies that the seed leaves open are ours.
import Observation
import Relux

@MainActor
@Observable
public final class OrientationState: Relux.HybridState, SnapshotProviding {
    private var orientation = DeviceOrientation.portrait
    private var isMonitoring = false
    @ObservationIgnored private var readers: [AsyncStream<OrientationSnapshot>.Continuation] = []

    public init() {}

    public var current: OrientationSnapshot {
        OrientationSnapshot(orientation: orientation, isMonitoring: isMonitoring)
    }

    public var snapshots: AsyncStream<OrientationSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: OrientationSnapshot.self)
        readers.append(continuation)
        return stream
    }

    public func reduce(with action: any Relux.Action) async {
        switch action as? OrientationAction {
        case .turned(let orientation): self.orientation = orientation
        case .monitoring(let isMonitoring): self.isMonitoring = isMonitoring
        case nil: return
        }
        for reader in readers { reader.yield(current) }
    }

    public func cleanup() async {
        orientation = .portrait
        isMonitoring = false
    }
}

public actor OrientationSaga: Relux.Saga {
    public init() {}
    public func apply(_ effect: any Relux.Effect) async {
        switch effect as? OrientationEffect {
        case .startMonitoring:
            await actions {
                OrientationAction.monitoring(true)
                OrientationAction.turned(.landscape)
            }
        case nil: break
        }
    }
}
