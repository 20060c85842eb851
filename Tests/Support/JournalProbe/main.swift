import Glibc
import ReluxJournal
import ReluxWire

// Appends to the journal in `directory` until it is killed, and says after each batch up to which sequence it was accepted:
// relux-journal-probe DIRECTORY EPOCH
let arguments = CommandLine.arguments
guard arguments.count == 3, let epoch = UInt64(arguments[2]) else { exit(64) }

do {
    var options = JournalOptions()
    options.firstSegment = 32 << 10
    options.segmentLimit = 64 << 10
    let journal = try JournalWriter(
        directory: arguments[1], module: "Auth", epoch: Epoch(epoch), options: options, environment: try JournalEnvironment.live())
    while true {
        var builder = JournalRunBuilder(topic: "Auth.Business.Effect")
        let first = journal.numbers.head(of: builder.topic) + 1
        for sequence in first...(first + UInt64.random(in: 0...9)) {
            let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: Int.random(in: 0...600))
            let record = WireRecord.effect(
                EffectRecord(position: sequence, sequence: sequence, caseName: "login", payload: payload[...]))
            _ = try builder.append(record, sequence: sequence, position: sequence)
        }
        guard let run = builder.finish() else { exit(70) }
        _ = try journal.append([run])
        print(run.sequences?.upperBound ?? 0)
        fflush(nil)
    }
} catch {
    let text = "\(error)\n"
    write(STDERR_FILENO, text, text.utf8.count)
    exit(1)
}
