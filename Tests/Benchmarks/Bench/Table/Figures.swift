import Glibc
import Relux

/// Time that processes of one machine share.
enum Monotonic {
    static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Processor time of this process so far.
    static func cpu() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Duration {
    var microseconds: Double { self / .microseconds(1) }
    var inSeconds: Double { self / .seconds(1) }
}

/// Latencies, by nearest rank.
struct Percentiles {
    private let sorted: [Duration]
    init(_ times: [Duration]) { sorted = times.sorted() }

    func microseconds(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[max(0, rank - 1)].microseconds
    }
}

/// One line of JSON on standard output, like those of `raw`.
struct Line {
    private var members: [JSONValue.Member]

    init(_ benchmark: String) { members = [.init("benchmark", .string(benchmark))] }

    mutating func add(_ key: String, _ value: Int) { members.append(.init(key, .integer(Int128(value)))) }
    mutating func add(_ key: String, _ value: UInt64) { members.append(.init(key, .integer(Int128(value)))) }
    mutating func add(_ key: String, _ value: String) { members.append(.init(key, .string(value))) }
    mutating func add(_ key: String, _ value: Double) {
        members.append(.init(key, .number((value * 1000).rounded() / 1000)))
    }

    mutating func add(_ percentiles: Percentiles) {
        add("p50_us", percentiles.microseconds(0.5))
        add("p99_us", percentiles.microseconds(0.99))
        add("p999_us", percentiles.microseconds(0.999))
    }

    func printed() {
        print(JSONValue.object(members).text(pretty: false))
        fflush(nil)
    }
}
