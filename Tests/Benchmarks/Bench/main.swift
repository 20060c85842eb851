import Glibc
import Relux
import ReluxControl

// The costs of Relux; Tests/Benchmarks/run prints them beside raw libzmq.
//
//   relux-bench coding COUNT       bytes of effects written and read, by generated code and by Codable
//   relux-bench floor COUNT        what any implementation of a durable effect does at the least, in one process and to a second one
//   relux-bench local COUNT        awaited dispatch inside one process
//   relux-bench oneway COUNT       effects to a second process, which it starts
//   relux-bench oneway3 COUNT      the same to three processes
//   relux-bench roundtrip COUNT    awaited effects to a second process
//   relux-bench durability COUNT   effects to a second process by durability, reading a journal, repair of a lost tail
//   relux-bench oneway-fixed COUNT  effects to a second process in lots of 64, one step after the other: for run --count
//   relux-bench floor-oneway|floor-durable|local-durable COUNT, oneway-encoded DURABILITY COUNT   single ones of these, for run --count
//   relux-bench unsettled COUNT    memory of effects that nobody has settled
//   relux-bench hosts RUN          start and memory of the hosts of a running cluster
//   relux-bench idle RUN SECONDS   processor time and wake-ups of a cluster in which nothing happens
//   relux-bench idle-hosts BROKER COUNT SECONDS   the same for COUNT hosts; BROKER is the path of relux-broker
//   relux-bench starts RUN ROUNDS  restarts each host of a running cluster alone, ROUNDS times
//   relux-bench crashes RUN        kills each host of a running cluster once
//   relux-bench handovers RUN COUNT   moves a module of a running cluster from process to process under load
//   relux-bench clients RUN COUNT     COUNT connections to a running cluster's broker that leave answers unread, and 400 large messages
//   relux-bench modules BROKER COUNT  registers COUNT modules with a broker of its own, whose program is named
//   relux-bench table              the lines of JSON on standard input as a table, with the goals and whether they are met
//
// RELUX_BENCH_CODING=codable leaves effects to Codable; their benchmarks are called relux.….codable then.

let arguments = Array(CommandLine.arguments.dropFirst())
let usage = """
    usage: relux-bench coding|floor|local|oneway|oneway3|roundtrip|durability|unsettled COUNT, hosts|crashes RUN, starts RUN ROUNDS, idle RUN SECONDS, handovers|clients RUN COUNT,
           idle-hosts BROKER COUNT SECONDS, modules BROKER COUNT, table
    """
let count = arguments.count > 1 ? Int(arguments.last ?? "") ?? 0 : 0
do {
    switch (arguments.first, arguments.count) {
    case ("coding", 2) where count > 0: try CodingBench.run(count)
    case ("local", 2) where count > 0: try await Task.detached { try await LocalBench.run(count) }.value
    case ("floor", 2) where count > 0:
        try await Task.detached {
            try await FloorBench.durable(count)
            try await FloorBench.oneWay(count)
        }.value
    case ("floor-oneway", 2) where count > 0: try await Task.detached { try await FloorBench.oneWay(count) }.value
    case ("floor-durable", 2) where count > 0: try await Task.detached { try await FloorBench.durable(count) }.value
    case ("local-durable", 2) where count > 0: try await Task.detached { try await LocalBench.durable(count) }.value
    case ("oneway-encoded", 3) where count > 0:
        guard let durability = Relux.Durability(rawValue: arguments[1]) else { throw BenchError("no durability \(arguments[1])") }
        try await Task.detached { try await DurabilityBench.oneWay(durability, count) }.value
    case ("oneway", 2) where count > 0: try await Task.detached { try await OneWayBench.run(count, sinkCount: 1) }.value
    case ("oneway-fixed", 2) where count > 0: try await Task.detached { try await FixedBench.run(count) }.value
    case ("oneway3", 2) where count > 0: try await Task.detached { try await OneWayBench.run(count, sinkCount: 3) }.value
    case ("roundtrip", 2) where count > 0: try await Task.detached { try await RoundTripBench.run(count) }.value
    case ("durability", 2) where count > 0: try await Task.detached { try await DurabilityBench.run(count) }.value
    case ("unsettled", 2) where count > 0: try await Task.detached { try await UnsettledBench.run(count) }.value
    case ("hosts", 2): try HostsBench.run(arguments[1])
    case ("idle", 3) where count > 0: try IdleBench.run(arguments[1], seconds: count)
    case ("idle-hosts", 4) where count > 0: try IdleHostsBench.run(arguments[1], count: Int(arguments[2]) ?? 100, seconds: count)
    case ("starts", 3) where count > 0: try StartBench.run(arguments[1], count)
    case ("crashes", 2): try CrashBench.run(arguments[1])
    case ("handovers", 3) where count > 0: try await Task.detached { try await HandOverBench.run(arguments[1], count) }.value
    case ("clients", 3) where count > 0: try ClientsBench.run(arguments[1], count)
    case ("modules", 3) where count > 0: try ModulesBench.run(count, arguments[1])
    case ("table", 1): Table.run()
    case ("--help", 1), ("-h", 1), ("help", 1): print(usage)
    // The second processes.
    case ("sink", 5):
        guard let index = Int(arguments[2]), let sinkCount = Int(arguments[3]), BusNode.sinks.indices.contains(index),
            sinkCount <= BusNode.sinks.count
        else { throw BenchError("no sink \(arguments[2]) of \(arguments[3])") }
        try await Task.detached { try await OneWayBench.sink(index, of: sinkCount, arguments[1], count) }.value
    case ("fixed-sink", 3) where count > 0: try await Task.detached { try FixedBench.sink(arguments[1], count) }.value
    case ("floor-sink", 3) where count > 0: try await Task.detached { try await FloorBench.sink(arguments[1], count) }.value
    case ("idle-host", 3): await IdleHostsBench.host(arguments[1], arguments[2])
    case ("echo", 2): try await Task.detached { try await RoundTripBench.echo(arguments[1]) }.value
    case ("keeper", 2): try await Task.detached { try await DurabilityBench.keeper(arguments[1], repairs: false) }.value
    case ("mender", 2): try await Task.detached { try await DurabilityBench.keeper(arguments[1], repairs: true) }.value
    default:
        StandardError.write(usage)
        exit(64)
    }
} catch {
    StandardError.write("relux-bench: \(error)")
    exit(1)
}
