import ReluxWire

/// The batches of one open segment from any place on, through a window on the file. Not shared.
final class BatchStream {
    let folder: JournalFolder
    let header: SegmentHeader
    let context: BatchContext
    /// Where ``next()`` goes on.
    private(set) var offset = JournalFormat.headerByteCount
    private let file: FileHandle
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowByteCount = 256 << 10

    /// - Throws: `missing` when there is no such segment; `damaged`, `otherFormat`, `foreign`, `denied`, `failed`.
    init(folder: JournalFolder, number: UInt64) throws(JournalError) {
        self.folder = folder
        let path = folder.file(number)
        let file = try folder.perform(path, isReading: true) { () throws(SystemError) in try folder.files.open(path, .read) }
        do {
            let bytes = try folder.perform(path) { () throws(SystemError) in
                try folder.files.read(file, at: 0, count: JournalFormat.headerByteCount)
            }
            header = try folder.header(of: number, bytes[...])
        } catch {
            folder.files.close(file)
            throw error
        }
        self.file = file
        context = BatchContext(header)
    }

    deinit { folder.files.close(file) }

    var number: UInt64 { header.number }
    var path: String { folder.file(header.number) }

    func facts() throws(JournalError) -> FileFacts {
        try folder.perform(path) { () throws(SystemError) in try folder.files.facts(file) }
    }

    /// Goes to a batch's start; the next read is from the file.
    func seek(_ offset: Int) {
        self.offset = max(JournalFormat.headerByteCount, offset)
        forget()
    }

    /// Drops the bytes that were read ahead: they may have changed in the file.
    func forget() { window = [] }

    /// Reads what stands at ``offset``; behind a batch it goes on. `short` is never returned: what the file does not hold yet is `nothing` or `bad`.
    func next() throws(JournalError) -> BatchCoding.Outcome {
        var wanted = JournalFormat.batchHeaderByteCount
        while true {
            let have = windowStart + window.count - offset
            if offset < windowStart || have < wanted {
                try read(max(wanted, Self.windowByteCount))
                if window.count < wanted {
                    return window.contains { $0 != 0 } ? .bad("a batch of \(wanted) bytes is cut off by the end of the file") : .nothing
                }
            }
            let outcome = BatchCoding.decode(window[(offset - windowStart)...], offset: offset, context)
            switch outcome {
            case .short(let needed): wanted = needed
            case .batch(let stored):
                offset = stored.end
                return outcome
            case .nothing, .bad: return outcome
            }
        }
    }

    /// Never more than the file holds, whatever a length claims.
    private func read(_ count: Int) throws(JournalError) {
        let size = try facts().byteCount
        window = try folder.perform(path) { () throws(SystemError) in
            try folder.files.read(file, at: offset, count: min(count, max(0, size - offset)))
        }
        windowStart = offset
    }

    /// All bytes of the file as it is now.
    func wholeFile() throws(JournalError) -> [UInt8] {
        let size = try facts().byteCount
        return try folder.perform(path) { () throws(SystemError) in try folder.files.read(file, at: 0, count: size) }
    }
}
