package import ReluxWire

/// A journal as it is on the disk, every byte of it read. Changes nothing and takes no lock.
package struct JournalReport: Sendable {
    package struct Segment: Sendable, Hashable {
        package var number: UInt64
        package var file: String
        package var epoch: Epoch
        package var bootID: BootID
        package var createdMilliseconds: UInt64
        /// Behind the last batch that is in order.
        package var byteCount: Int
        /// The bytes that it takes on the disk.
        package var allocated: Int
        package var batchCount: Int
        package var recordCount: Int
    }

    /// The records of a stream in the journal.
    package struct Stream: Sendable, Hashable {
        package var topic: Topic
        package var first: UInt64
        package var last: UInt64
        package var recordCount: Int
        package var byteCount: Int
    }

    package let directory: String
    package let module: ModuleID
    package private(set) var segments: [Segment] = []
    /// By topic. `first` and `last` are 0 for one without sequences.
    package private(set) var streams: [Stream] = []
    /// The damage, the first in each segment; empty for a sound journal.
    package private(set) var faults: [JournalError] = []
    /// The numbers that were declared lost.
    package private(set) var holes: [HoleRecord] = []
    package private(set) var numbers = JournalNumbers()
    package private(set) var incarnation: UInt64 = 0
    package private(set) var isSealed = false
    /// Bytes behind the last batch that the next writer will cut; a batch that is just being written counts here.
    package private(set) var tornBytes = 0
    /// Files in `quarantine`.
    package private(set) var quarantined: [String] = []
    /// The process that wrote last, as the lock file says; it may be alive.
    package private(set) var lastProcess: Int32?

    private var found: [Topic: Stream] = [:]

    /// - Throws: `missing`, `denied`, `failed`. What is damaged is in ``faults``.
    package init(directory: String, module: ModuleID, environment: JournalEnvironment) throws(JournalError) {
        self.directory = directory
        self.module = module
        let folder = JournalFolder(path: directory, module: module, environment: environment)
        guard let all = try folder.segmentNumbers(), !all.isEmpty else {
            throw JournalError(
                .missing, file: directory, "there is no journal of \(module)", remedy: "see `relux journal ls` for what is there")
        }
        let content = JournalLock.content(directory: directory, environment: environment)
        lastProcess = content?.pid
        quarantined = ((try? environment.files.list(folder.quarantine)) ?? [])?.sorted() ?? []
        var lost: Set<UInt64> = []
        do throws(JournalError) {
            let reader = RecoveryReader(folder: folder)
            let found: FoundJournal
            // A writer may be in the midst of a write: only what is wrong at the second look counts.
            do { found = try reader.find(last: content) } catch { found = try reader.find(last: content) }
            lost = Set(found.lost)
            tornBytes = found.torn
        } catch {
            add(error)
        }
        for (index, number) in all.enumerated() where !lost.contains(number) {
            let next = index + 1 < all.count && !lost.contains(all[index + 1]) ? all[index + 1] : nil
            do { try read(number, next: next, folder) } catch {
                // Trimmed just now.
                if error.code != .missing { add(error) }
            }
        }
        streams = found.values.sorted { $0.topic < $1.topic }
        faults.sort { ($0.file, $0.position ?? 0) < ($1.file, $1.position ?? 0) }
    }

    /// One fault of a file is enough.
    private mutating func add(_ fault: JournalError) {
        if !faults.contains(where: { $0.file == fault.file }) { faults.append(fault) }
    }

    private mutating func read(_ number: UInt64, next: UInt64?, _ folder: JournalFolder) throws(JournalError) {
        let bytes = try folder.bytes(of: number)
        let header = try folder.header(of: number, bytes[...])
        incarnation = header.incarnation
        var records = 0
        let scan = SegmentScan(bytes, header) { stored in
            for run in stored.batch.runs {
                records += run.recordCount
                take(run)
            }
            for case .hole(let hole) in stored.batch.notes { holes.append(hole) }
        }
        let facts = try folder.perform(folder.file(number)) { () throws(SystemError) in try folder.files.facts(of: folder.file(number)) }
        segments.append(
            Segment(
                number: number, file: folder.file(number), epoch: header.epoch, bootID: header.bootID,
                createdMilliseconds: header.wallMilliseconds, byteCount: scan.end, allocated: facts?.allocated ?? 0,
                batchCount: scan.batchCount, recordCount: records))
        numbers = scan.numbers
        isSealed = next == nil && scan.seal != nil
        guard let next else { return }
        guard let following = try? folder.header(of: next) else { return }
        guard !scan.leads(to: following) else { return }
        // A writer may have gone on while this was read.
        let again = SegmentScan(try folder.bytes(of: number), header)
        guard !again.leads(to: following) else { return }
        throw folder.damaged(
            number, again.end, again.fault ?? "the segment ends here, the next one was begun behind byte \(following.previousLength)")
    }

    private mutating func take(_ run: JournalRun) {
        var stream = found[run.topic] ?? Stream(topic: run.topic, first: 0, last: 0, recordCount: 0, byteCount: 0)
        if let sequences = run.sequences {
            if stream.first == 0 { stream.first = sequences.lowerBound }
            stream.last = max(stream.last, sequences.upperBound)
        }
        stream.recordCount += run.recordCount
        stream.byteCount += run.records.count
        found[run.topic] = stream
    }
}
