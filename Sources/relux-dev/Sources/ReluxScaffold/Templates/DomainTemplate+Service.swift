extension DomainTemplate {
    static let service: [(path: String, text: String)] = [
        (
            "Sources/__D__ServiceInt/__D__+Business+IService.swift",
            ##"""
            public import __D__Models

            extension __D__.Business {
                /// The items. Every call may be made from any task.
                public protocol IService: Sendable {
                    /// - Throws: `storage`.
                    func items() async throws(Model.Failure) -> [Model.Item]

                    /// Keeps one more and answers with all.
                    ///
                    /// - Throws: `invalidTitle`, `storage`.
                    func add(title: String) async throws(Model.Failure) -> [Model.Item]
                }
            }
            """##
        ),
        (
            "Sources/__D__ServiceImpl/__D__+Business+Service.swift",
            ##"""
            internal import Synchronization
            public import __D__Models
            public import __D__ServiceInt

            extension __D__.Business {
                /// Items in memory: they are gone with the process.
                public final class Service: IService {
                    private let kept = Mutex<[Model.Item]>([])

                    public init() {}

                    public func items() async throws(Model.Failure) -> [Model.Item] {
                        kept.withLock { $0 }
                    }

                    public func add(title: String) async throws(Model.Failure) -> [Model.Item] {
                        guard !title.isEmpty, title.count <= Model.Item.titleLength else {
                            throw Model.Failure(
                                code: .invalidTitle, message: "the title has \(title.count) characters; use 1 to \(Model.Item.titleLength)"
                            )
                        }
                        return kept.withLock { items in
                            items.append(Model.Item(id: items.count + 1, title: title))
                            return items
                        }
                    }
                }
            }
            """##
        ),
    ]
}
