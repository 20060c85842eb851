public import NavigationModels
public import Relux

extension Navigation.Business {
    /// The pages on top of each other.
    @MainActor
    public protocol IState: Relux.HybridState, SnapshotProviding where Snapshot == Navigation.Business.Snapshot {
        /// Without those that cover them.
        var pages: [Model.Page] { get }
        /// From bottom to top, above all other pages.
        var covers: [Model.Page] { get }
    }

    /// The pages from bottom to top; those that cover others are the last.
    public struct Snapshot: Relux.SharedSnapshot {
        public let pages: [Navigation.Business.Model.Page]

        public init(pages: [Navigation.Business.Model.Page]) {
            self.pages = pages
        }
    }
}
