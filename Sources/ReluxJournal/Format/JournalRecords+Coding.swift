import ReluxWire

extension JournalNote {
    /// In the envelope of all records: length, kind, fields; extensions may follow.
    func encoded() -> [UInt8] {
        var fields = ByteWriter()
        switch self {
        case .checkpoint(let record): fields.byte(CheckpointRecord.kind); record.write(to: &fields)
        case .hole(let record): fields.byte(HoleRecord.kind); record.write(to: &fields)
        case .seal(let record): fields.byte(SealRecord.kind); record.write(to: &fields)
        }
        var writer = ByteWriter()
        writer.blob(fields.bytes[...])
        return writer.bytes
    }

    /// nil for a kind of a later release, which is skipped.
    static func read(from reader: inout ByteReader) throws(FieldError) -> JournalNote? {
        var fields = ByteReader(try reader.blob())
        switch try fields.byte() {
        case CheckpointRecord.kind: return .checkpoint(try CheckpointRecord(from: &fields))
        case HoleRecord.kind: return .hole(try HoleRecord(from: &fields))
        case SealRecord.kind: return .seal(try SealRecord(from: &fields))
        default: return nil
        }
    }
}

extension ByteReader {
    fileprivate mutating func topic() throws(FieldError) -> Topic {
        let text = try text()
        guard let topic = Topic(rawValue: text) else { throw FieldError(reason: "'\(text)' is no topic") }
        return topic
    }
}

extension CheckpointRecord {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.fixed(incarnation)
        writer.varint(epoch.rawValue)
        writer.bytes += bootID.bytes
        writer.varint(floor)
        writer.varint(position)
        writer.varint(UInt64(heads.count))
        for (topic, head) in heads.sorted(by: { $0.key < $1.key }) {
            writer.text(topic.rawValue)
            writer.varint(head)
        }
        writer.varint(base)
        writer.blob(state)
    }

    fileprivate init(from reader: inout ByteReader) throws(FieldError) {
        incarnation = try reader.fixed()
        epoch = Epoch(try reader.varint())
        guard let bootID = BootID(bytes: try reader.slice(16)) else { throw FieldError(reason: "no boot id") }
        self.bootID = bootID
        floor = try reader.number()
        position = try reader.number()
        let pairs = try reader.list { reader throws(FieldError) in (try reader.topic(), try reader.number()) }
        heads = Dictionary(pairs, uniquingKeysWith: max)
        base = try reader.number()
        state = try reader.blob()
    }
}

extension HoleRecord {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.byte(reason.rawValue)
        writer.byte((jumps ? 1 : 0) | (resume == nil ? 0 : 2))
        writer.range(lostPositions)
        writer.varint(UInt64(lost.count))
        for part in lost {
            writer.text(part.topic.rawValue)
            writer.range(part.sequences)
        }
        writer.varint(byteCount)
        if let resume {
            writer.varint(resume.length)
            writer.fixed(resume.chain)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(FieldError) {
        let number = try reader.byte()
        guard let reason = Reason(rawValue: number) else { throw FieldError(reason: "\(number) is no reason of a HOLE") }
        self.reason = reason
        let flags = try reader.byte()
        jumps = flags & 1 != 0
        lostPositions = try reader.range()
        lost = try reader.list { reader throws(FieldError) in
            let topic = try reader.topic()
            guard let sequences = try reader.range() else { throw FieldError(reason: "an empty range of \(topic) in a HOLE") }
            return Lost(topic: topic, sequences: sequences)
        }
        byteCount = try reader.varint()
        resume = flags & 2 == 0 ? nil : Resume(length: try reader.varint(), chain: try reader.fixed())
    }
}

extension SealRecord {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.varint(epoch.rawValue)
        writer.varint(lastBatch)
    }

    fileprivate init(from reader: inout ByteReader) throws(FieldError) {
        epoch = Epoch(try reader.varint())
        lastBatch = try reader.number()
    }
}
