#if canImport(Glibc)
    private import Glibc
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Relux {
    /// What the running thread does for a ``HandlerPool``, kept in the thread: whose runner it is, and how.
    struct ThreadRole {
        struct Options: OptionSet {
            let rawValue: UInt
            /// Takes quick jobs only.
            static let helps = Options(rawValue: 1)
            /// Its job suspends right after what it does now.
            static let waits = Options(rawValue: 2)
            /// What it adds now does not end its job.
            static let starts = Options(rawValue: 4)
        }
        private static let optionBits: UInt = 7
        // The pool's address with the options in the bits that its alignment leaves free; 0 of nobody's runner.
        private var value: UInt

        private init(value: UInt) { self.value = value }

        init(of pool: HandlerPool, _ options: Options) {
            value = Self.address(of: pool) | options.rawValue
        }

        private static func address(of pool: HandlerPool) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(pool).toOpaque()) }

        func isRunner(of pool: HandlerPool) -> Bool { value & ~Self.optionBits == Self.address(of: pool) }

        func contains(_ option: Options) -> Bool { value & option.rawValue != 0 }

        func union(_ option: Options) -> ThreadRole { ThreadRole(value: value | option.rawValue) }

        /// Nobody's runner.
        var isFree: Bool { value == 0 }

        // lint:allow state.global: a key of the system's, for what belongs to each thread alone
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        static var current: ThreadRole {
            get { ThreadRole(value: UInt(bitPattern: pthread_getspecific(key))) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue.value)) }
        }

        /// As many threads as the cooperative pool has.
        static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
    }
}
