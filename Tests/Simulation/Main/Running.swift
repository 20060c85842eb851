import Glibc

/// The seeds that run now: told when the program traps, which is a find as well.
enum Running {
    static let jobLimit = 64
    // lint:allow state.global: each job writes its own place; the handler only reads, when the program is lost anyway
    nonisolated(unsafe) private static let seeds: UnsafeMutablePointer<UInt64> = {
        let places = UnsafeMutablePointer<UInt64>.allocate(capacity: jobLimit)
        places.initialize(repeating: 0, count: jobLimit)
        return places
    }()

    static func note(_ seed: UInt64, of job: Int) { if job < jobLimit { seeds[job] = seed } }

    static func tellOnTrap() {
        note(0, of: 0)
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            signal(number) { number in
                Running.tell()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    private static func tell() {
        for job in 0..<jobLimit where seeds[job] > 0 {
            write("failed   a trap, perhaps of this one: Tests/Simulation/run --seed ")
            write(seeds[job])
            write("\n")
        }
    }

    private static func write(_ text: StaticString) { _ = Glibc.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount) }

    private static func write(_ number: UInt64) {
        var divisor: UInt64 = 10_000_000_000_000_000_000
        while divisor > 1, number / divisor == 0 { divisor /= 10 }
        while divisor > 0 {
            var digit = UInt8(48 + number / divisor % 10)
            _ = Glibc.write(STDOUT_FILENO, &digit, 1)
            divisor /= 10
        }
    }
}
