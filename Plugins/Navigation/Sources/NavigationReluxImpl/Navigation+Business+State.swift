internal import NavigationModels
internal import NavigationReluxInt
internal import Relux

extension Navigation.Business {
    @MainActor
    final class State: IState {
        /// Pages at most; beyond it the lowest ones are forgotten.
        static let depth = 64

        var pages: [Model.Page] = [] {
            didSet { publish() }
        }
        var covers: [Model.Page] = [] {
            didSet { publish() }
        }
        private let readers = Snapshots<Snapshot>()

        nonisolated init() {}

        var current: Snapshot { Snapshot(pages: pages + covers) }

        var snapshots: AsyncStream<Snapshot> { readers.stream() }

        func cleanup() async {
            pages = []
            covers = []
        }

        func cover(_ page: Model.Page) {
            if let place = covers.firstIndex(where: { $0.domain == page.domain && $0.name == page.name }) {
                covers[place] = page
            } else {
                covers = (covers + [page]).suffix(Self.depth)
            }
        }

        private func publish() { readers.publish(current) }
    }
}
