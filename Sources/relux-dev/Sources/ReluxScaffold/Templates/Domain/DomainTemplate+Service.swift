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
            internal import Foundation
            public import __D__Models
            public import __D__ServiceInt

            extension __D__.Business {
                /// Items in one file, written beside its place and renamed. Its directory is made with the first item.
                public actor Service: IService {
                    private let directory: String

                    public init(directory: String) { self.directory = directory }

                    public func items() throws(Model.Failure) -> [Model.Item] {
                        try attempt("read") {
                            guard FileManager.default.fileExists(atPath: file.path) else { return [] }
                            return try JSONDecoder().decode([Model.Item].self, from: Data(contentsOf: file))
                        }
                    }

                    public func add(title: String) throws(Model.Failure) -> [Model.Item] {
                        try Self.check(title: title)
                        let known = try items()
                        let all = known + [Model.Item(id: known.count + 1, title: title)]
                        try attempt("written") {
                            try FileManager.default.createDirectory(
                                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                            try JSONEncoder().encode(all).write(to: file, options: .atomic)
                        }
                        return all
                    }

                    /// What holds wherever items are kept.
                    static func check(title: String) throws(Model.Failure) {
                        guard !title.isEmpty, title.count <= Model.Item.titleLength else {
                            throw Model.Failure(
                                code: .invalidTitle, message: "the title has \(title.count) characters; use 1 to \(Model.Item.titleLength)"
                            )
                        }
                    }

                    private var file: URL { URL(fileURLWithPath: directory).appendingPathComponent("items.json") }

                    private func attempt<R>(_ verb: String, _ body: () throws -> R) throws(Model.Failure) -> R {
                        do { return try body() } catch {
                            throw Model.Failure(
                                code: .storage, message: "\(file.path) could not be \(verb): \(error); check the directory's rights and the disk")
                        }
                    }
                }
            }
            """##
        ),
        (
            "Sources/__D__ServiceImpl/__D__+Business+ServiceInMemory.swift",
            ##"""
            public import __D__Models
            public import __D__ServiceInt

            extension __D__.Business {
                /// What `services: mock` means for __D__: items end with the process.
                public actor ServiceInMemory: IService {
                    private var kept: [Model.Item] = []

                    public init() {}

                    public func items() throws(Model.Failure) -> [Model.Item] { kept }

                    public func add(title: String) throws(Model.Failure) -> [Model.Item] {
                        try Service.check(title: title)
                        kept.append(Model.Item(id: kept.count + 1, title: title))
                        return kept
                    }
                }
            }
            """##
        ),
    ]
}
