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
        private let readers = Snapshots<Snapshot>()

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

        var snapshots: AsyncStream<Snapshot> { readers.stream() }

        func cleanup() async {
            set(.defaults)
        }

        func set(_ snapshot: Snapshot) {
            current = snapshot
            readers.publish(snapshot)
        }
    }
}
