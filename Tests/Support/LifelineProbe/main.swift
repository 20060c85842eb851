import Foundation
import Glibc
import ReluxControl
import ReluxSupervisor

// A child for the supervisor's tests.
//   parent LOG   starts `child` as a supervisor would, prints its pid and waits to be killed
//   child        says `ready`, then `drained` when its supervisor has died
//   stuck        the same, but never ends by itself
//   spawns N     starts and reaps N children and counts what is left
//   deaf N       is told of no child's end, starts one that exits with N all the same, and says how it has ended
//   eat          takes memory until it gets no more, and traps
//   fed N M      takes M MiB itself, starts `eat` with N MiB at most, and says its end, its peak, and what a report says of that
//   crash        traps with Swift's own backtrace
func say(_ line: String) {
    let text = line + "\n"
    write(1, text, text.utf8.count)
}

func box(_ values: [Int], _ index: Int) -> Int { values[index] }

switch CommandLine.arguments.dropFirst().first {
case "parent":
    var children = try ChildProcesses()
    let mode = CommandLine.arguments[3]
    let pid = try children.spawn(
        ChildSpec(
            executable: "/proc/self/exe", arguments: [mode], environment: ProcessInfo.processInfo.environment,
            log: CommandLine.arguments[2]))
    say("\(pid)")
    while children.wait(limit: nil).isEmpty {}
case "child", "stuck":
    let ends = CommandLine.arguments[1] == "child"
    guard let lifeline = Lifeline.inherited() else { exit(65) }
    let watching = Lifeline.watch(lifeline, graceSeconds: 1) {
        say("drained")
        if ends { exit(0) }
    }
    guard watching else { exit(66) }
    say("ready")
    while true { pause() }
case "spawns":
    let count = Int(CommandLine.arguments[2]) ?? 0
    func descriptors() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1 }
    var children = try ChildProcesses()
    let before = descriptors()
    for _ in 0..<count {
        _ = try children.spawn(ChildSpec(executable: "/bin/true", arguments: [], environment: [:], log: "/dev/null"))
    }
    var ended = 0
    while ended < count { ended += children.wait(limit: nil).count }
    var info = siginfo_t()
    let left = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? 1 : 0
    say("spawned \(ended), descriptors +\(descriptors() - before), zombies \(left)")
case "deaf":
    signal(SIGCHLD, SIG_IGN)
    var children = try ChildProcesses()
    let script = "exit \(CommandLine.arguments[2])"
    _ = try children.spawn(ChildSpec(executable: "/bin/sh", arguments: ["-c", script], environment: [:], log: "/dev/null"))
    var ends: [ChildProcesses.End] = []
    while ends.isEmpty { ends = children.wait(limit: nil) }
    say("\(ends[0].status)")
case "eat":
    var eaten: [UnsafeMutableRawPointer] = []
    while let more = malloc(1 << 20) {
        memset(more, 1, 1 << 20)
        eaten.append(more)
    }
    fatalError("no more memory behind \(eaten.count) MiB")
case "fed":
    let (limit, own) = (Int(CommandLine.arguments[2]) ?? 0, (Int(CommandLine.arguments[3]) ?? 0) << 20)
    let held = UnsafeMutableRawPointer.allocate(byteCount: max(1, own), alignment: 16)
    memset(held, 1, own)
    let memory = MemoryLimits.Limit(name: "memory.host-mebibytes", bytes: limit << 20)
    var children = try ChildProcesses()
    _ = try children.spawn(
        ChildSpec(
            executable: "/proc/self/exe", arguments: ["eat"], environment: ProcessInfo.processInfo.environment, log: "/dev/null", memory: memory))
    var ends: [ChildProcesses.End] = []
    while ends.isEmpty { ends = children.wait(limit: nil) }
    say("\(ends[0].status.signal == nil ? "exited" : "killed"), \(ends[0].peak >> 20) MiB: \(memory.reached(by: ends[0].peak) ?? "no word")")
case "crash":
    say("\(box([1, 2], CommandLine.arguments.count + 5))")
default:
    exit(64)
}
