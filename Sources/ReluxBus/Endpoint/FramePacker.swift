import Relux
import ReluxLedger

/// Makes a batch's frames: of what was written, a frame of each run; of what no journal has, one run per stream, in the order in which the
/// streams first spoke.
struct FramePacker {
    private struct Run {
        let stream: StreamID
        var encoder: FrameEncoder
        let tapOnly: Bool
        /// Heads, which are said again while anything is unsettled. Waiting for a subscriber that stands still would leave no patience for what
        /// it asks for when it goes on.
        let isHint: Bool
    }
    /// Few, for a batch has few streams; the encoder that was used last is mostly used next.
    private var encoders: [Run] = []
    private var last = 0
    private var outgoing = Outgoing()

    mutating func pack(_ runs: [SaidRun]) {
        for run in runs { outgoing.messages.append(.init(bytes: run.frame, tapOnly: run.reach == .taps)) }
    }

    /// Takes the publications; every other action is appended to `local`.
    mutating func pack(_ actions: [BusCore.Action], into local: inout [BusCore.Action]) {
        for action in actions {
            switch action {
            case .publish(let stream, let epoch, let record, let tapOnly):
                add(record, stream, epoch, tapOnly: tapOnly)
            case .replay(let topic, let publisher, let epoch, let records):
                replay(records, topic, publisher, epoch)
            case .ready(let prefix, let speaker, let record):
                let frame = Frame(topic: "~ready", publisher: speaker, epoch: Epoch(0), records: [.ready(record)])
                if let bytes = try? frame.encoded() { outgoing.messages.append(.init(bytes: prefix + bytes, tapOnly: false)) }
            default: local.append(action)
            }
        }
    }

    mutating func finish() -> Outgoing {
        for index in encoders.indices {
            if let bytes = encoders[index].encoder.finish() {
                outgoing.messages.append(.init(bytes: bytes, tapOnly: encoders[index].tapOnly, isHint: encoders[index].isHint))
            }
        }
        return outgoing
    }

    private mutating func add(_ record: WireRecord, _ stream: StreamID, _ epoch: Epoch, tapOnly: Bool) {
        if !isOf(stream, tapOnly, last) {
            last = encoders.indices.first { isOf(stream, tapOnly, $0) } ?? encoders.count
            if last == encoders.count {
                encoders.append(
                    Run(
                        stream: stream, encoder: FrameEncoder(topic: stream.topic, publisher: stream.publisher, epoch: epoch),
                        tapOnly: tapOnly, isHint: stream.topic.isHead))
            }
        }
        // A record over the limit was refused when the effect was accepted.
        if let full = try? encoders[last].encoder.append(record) {
            outgoing.messages.append(.init(bytes: full, tapOnly: tapOnly))
        }
    }

    private func isOf(_ stream: StreamID, _ tapOnly: Bool, _ index: Int) -> Bool {
        index < encoders.count && encoders[index].tapOnly == tapOnly && encoders[index].stream == stream
    }

    /// Each frame of a replay begins with the stream that its records belong to.
    private mutating func replay(_ records: [WireRecord], _ topic: Topic, _ publisher: ModuleID, _ epoch: Epoch) {
        guard let head = records.first else { return }
        var frame: [WireRecord] = [head]
        var bytes = 0
        for record in records.dropFirst() {
            let count = record.byteCount + 128
            // Closed before it grows over the target: a large record gets a frame of its own.
            if frame.count > 1, bytes + count > FrameEncoder.defaultByteTarget {
                close(frame, topic, publisher, epoch)
                frame = [head]
                bytes = 0
            }
            frame.append(record)
            bytes += count
        }
        if frame.count > 1 { close(frame, topic, publisher, epoch) }
    }

    private mutating func close(_ records: [WireRecord], _ topic: Topic, _ publisher: ModuleID, _ epoch: Epoch) {
        let frame = Frame(topic: topic, publisher: publisher, epoch: epoch, records: records)
        if let bytes = try? frame.encoded() { outgoing.messages.append(.init(bytes: bytes, tapOnly: false)) }
    }
}

extension Topic {
    fileprivate var isHead: Bool { isReserved && rawValue.hasPrefix("~head.") }
}
