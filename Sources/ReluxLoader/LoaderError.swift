package import ReluxLayers

/// Why a plugin was not packed, verified or loaded: the rule, the offender, and what to do.
package struct LoaderError: Error, Hashable, CustomStringConvertible {
    /// The broken rule; its name is stable and is what tests, logs and `relux explain` go by.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let name: String
        private init(_ name: String) { self.name = name }
        package var description: String { name }

        /// The file or directory cannot be read.
        package static let unreadable = Code("loader.unreadable")
        package static let notELF = Code("loader.notElf")
        /// The file ends before what its own tables say.
        package static let truncated = Code("loader.truncated")
        /// 32 bits or big endian.
        package static let elfClass = Code("loader.class")
        /// Built for another processor.
        package static let machine = Code("loader.machine")
        /// An executable or an object file instead of a shared library.
        package static let fileType = Code("loader.type")
        /// The tables contradict themselves.
        package static let malformed = Code("loader.malformed")

        package static let manifest = Code("loader.manifest")
        package static let format = Code("loader.format")
        package static let fileName = Code("loader.fileName")
        package static let missing = Code("loader.missing")
        package static let size = Code("loader.size")
        package static let hash = Code("loader.hash")
        package static let unlisted = Code("loader.unlisted")

        /// Built against another runtime.
        package static let runtimeGuard = Code("loader.guard")
        package static let entry = Code("loader.entry")
        /// The library carries its own copy of the core.
        package static let coreCopy = Code("loader.coreCopy")
        /// Two libraries of one plugin define the same type.
        package static let typeCopy = Code("loader.typeCopy")

        /// The operating system's loader refused; the message has its words.
        package static let open = Code("loader.open")
        /// A library of the platform is not where the host finds it.
        package static let platform = Code("loader.platform")
        package static let otherVersion = Code("loader.otherVersion")
        package static let moduleTwice = Code("loader.moduleTwice")
        package static let declaration = Code("loader.declaration")
        /// It declares an effect or snapshot type whose name cannot travel.
        package static let topic = Code("loader.topic")
        package static let schedule = Code("loader.schedule")

        /// Nobody has declared the module that the library belongs to.
        package static let unknown = Code("layer.unknown")

        /// A rule that sources and registrations are judged by, too.
        package init(_ rule: ErrorCode) { name = rule.id }
    }

    package let code: Code
    /// The file, library or module that broke the rule.
    package let offender: String
    /// The fault, with the offending value and the limit.
    package let message: String
    package let remedy: String

    package init(_ code: Code, offender: String, _ message: String, remedy: String) {
        self.code = code
        self.offender = offender
        self.message = message
        self.remedy = remedy
    }

    package var description: String { "\(code): \(offender): \(message); \(remedy)" }
}
