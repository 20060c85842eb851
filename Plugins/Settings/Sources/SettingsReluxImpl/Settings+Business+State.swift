internal import Relux
internal import SettingsModels
internal import SettingsReluxInt
internal import SettingsServiceInt

extension Settings.Business {
    /// Whose settings are active outlives the process; their values are read again from where they are stored.
    @MainActor
    final class State: IState, Relux.RestorableState {
        struct Stored: Codable, Sendable {
            var userId: String?
        }

        private let svc: any IService
        private(set) var current: Settings.Business.Snapshot = .defaults
        private var readers: [AsyncStream<Snapshot>.Continuation] = []

        nonisolated init(svc: any IService) { self.svc = svc }

        var stored: Stored { Stored(userId: current.userId) }

        func restore(_ stored: Stored) async {
            guard let userId = stored.userId else { return }
            do throws(Model.Failure) {
                set(.init(userId: userId, values: try await svc.values(userId: userId), failure: nil))
            } catch {
                set(.init(userId: userId, values: Model.Key.defaults, failure: error))
            }
        }

        var snapshots: AsyncStream<Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        func cleanup() async {
            set(.defaults)
        }

        func set(_ snapshot: Snapshot) {
            current = snapshot
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }
    }
}
