extension DomainTemplate {
    static let models: [(path: String, text: String)] = [
        (
            "Sources/__D__Models/__D__.swift",
            ##"""
            /// What __D__ is about, in one sentence.
            public enum __D__ {
                public enum Business {
                    public enum Model {}
                }

                public enum UI {
                    public enum Model {}
                }
            }
            """##
        ),
        (
            "Sources/__D__Models/__D__+Business+Model+Failure.swift",
            ##"""
            extension __D__.Business.Model {
                /// Why an operation of __D__ was refused. The message may be shown to the user.
                public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
                    /// Stable numbers: they travel in effects.
                    public enum Code: Int, Sendable, Codable {
                        case invalidTitle = 1
                        case storage = 2
                    }

                    public let code: Code
                    public let message: String

                    public init(code: Code, message: String) {
                        self.code = code
                        self.message = message
                    }

                    public var description: String { "__D__ \(code.rawValue) \(code): \(message)" }
                }
            }
            """##
        ),
        (
            "Sources/__D__Models/__D__+Business+Model+Item.swift",
            ##"""
            extension __D__.Business.Model {
                /// One of the things that __D__ keeps.
                public struct Item: Sendable, Equatable, Codable {
                    /// Characters that a title may have at most.
                    public static let titleLength = 64

                    /// Unique among the items of a service, from 1.
                    public let id: Int
                    public let title: String

                    public init(id: Int, title: String) {
                        self.id = id
                        self.title = title
                    }
                }
            }
            """##
        ),
    ]
}
