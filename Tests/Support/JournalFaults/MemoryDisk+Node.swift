extension MemoryDisk {
    /// A file: what programs see, and what is on the disk.
    final class Node {
        var bytes: [UInt8] = []
        /// After a loss of power.
        var durable: [UInt8] = []
        /// Sectors of 512 bytes that a failed sync has left behind.
        var forgotten: Set<Int> = []
        var links = 1
        var modified: Int64 = 0
        var lockedBy: Int32?
        let identity: UInt64
        init(_ identity: UInt64) { self.identity = identity }

        static let sector = 512

        func sync() {
            let (old, forgotten) = (durable, forgotten)
            durable = bytes
            for number in forgotten where number * Self.sector < bytes.count {
                let start = number * Self.sector
                for index in start..<min(start + Self.sector, bytes.count) { durable[index] = index < old.count ? old[index] : 0 }
            }
        }

        func failToSync() {
            for start in stride(from: 0, to: bytes.count, by: Self.sector) {
                let end = min(start + Self.sector, bytes.count)
                let isThere = end <= durable.count && durable[start..<end] == bytes[start..<end]
                if !isThere { forgotten.insert(start / Self.sector) }
            }
        }
    }
}
