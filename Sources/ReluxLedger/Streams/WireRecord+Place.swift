package import ReluxWire

extension WireRecord {
    /// The place of an effect or a settlement in its stream; 0 for other records.
    package var sequence: UInt64 {
        switch self {
        case .effect(let record): record.sequence
        case .settled(let record): record.sequence
        default: 0
        }
    }

    /// The size of what the record carries.
    package var byteCount: Int {
        switch self {
        case .effect(let record): record.payload.count
        case .settled(let record): record.result.count
        default: 32
        }
    }
}
