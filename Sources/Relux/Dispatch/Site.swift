import Synchronization

extension Relux {
    /// Where in the source a dispatch stands.
    ///
    /// Design notes. Every dispatch has one and few are looked at: what the compiler knows is kept as it is and made text when somebody asks,
    /// once for each literal.
    public struct Site: Sendable, Hashable {
        private enum Text: Sendable, Equatable {
            case literal(StaticString)
            case made(String)

            static func == (a: Self, b: Self) -> Bool {
                // Mostly it is the same literal.
                if case .literal(let a) = a, case .literal(let b) = b, a.hasPointerRepresentation, b.hasPointerRepresentation,
                    a.utf8Start == b.utf8Start, a.utf8CodeUnitCount == b.utf8CodeUnitCount
                {
                    return true
                }
                return a.string == b.string
            }

            var string: String {
                switch self {
                case .literal(let literal): Site.string(of: literal)
                case .made(let string): string
                }
            }
        }
        private var fileText: Text
        private var functionText: Text
        public var line: UInt

        public var file: String {
            get { fileText.string }
            set { fileText = .made(newValue) }
        }
        public var function: String {
            get { functionText.string }
            set { functionText = .made(newValue) }
        }

        public init(file: String, line: UInt, function: String) {
            (fileText, functionText, self.line) = (.made(file), .made(function), line)
        }

        /// Where the file's name lies in memory, which is in the library that the site is in; nil for one that was made.
        package var literal: UInt? {
            guard case .literal(let literal) = fileText, literal.hasPointerRepresentation else { return nil }
            return UInt(bitPattern: literal.utf8Start)
        }

        init(_ file: StaticString, _ line: UInt, _ function: StaticString) {
            (fileText, functionText, self.line) = (.literal(file), .literal(function), line)
        }

        // lint:allow state.global: only a cache of a pure function; a literal lies where it is for as long as the process lives
        private static let texts = Mutex<[UInt: String]>([:])

        private static func string(of literal: StaticString) -> String {
            guard literal.hasPointerRepresentation else { return literal.description }
            let key = UInt(bitPattern: literal.utf8Start)
            return texts.withLock { texts in
                // Two literals may begin at one place where the linker has merged their ends.
                if let known = texts[key], known.utf8.count == literal.utf8CodeUnitCount { return known }
                let made = literal.description
                texts[key] = made
                return made
            }
        }

        public static func == (a: Self, b: Self) -> Bool { a.line == b.line && a.fileText == b.fileText && a.functionText == b.functionText }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(file)
            hasher.combine(line)
            hasher.combine(function)
        }
    }
}
