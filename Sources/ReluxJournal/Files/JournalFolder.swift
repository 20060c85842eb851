import Glibc
import ReluxWire

/// The files of one journal by name; every call goes to the disk.
struct JournalFolder: Sendable {
    let path: String
    let module: ModuleID
    let environment: JournalEnvironment

    var files: any FileSystem { environment.files }
    var quarantine: String { "\(path)/\(JournalFormat.quarantineName)" }

    var parent: String {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        return path.hasPrefix("/") ? "/" + parent : parent.isEmpty ? "." : parent
    }

    func file(_ number: UInt64) -> String { "\(path)/\(JournalFormat.segmentName(number))" }

    func perform<Result>(
        _ file: String, isReading: Bool = false, _ body: () throws(SystemError) -> Result
    ) throws(JournalError) -> Result {
        try JournalError.wrap(file, isReading: isReading, body)
    }

    /// In order; nil when there is no such directory.
    func segmentNumbers() throws(JournalError) -> [UInt64]? {
        try perform(path) { () throws(SystemError) in try files.list(path) }?.compactMap(JournalFormat.segmentNumber).sorted()
    }

    /// Removes segments that were being made when their maker died.
    func removeDrafts() throws(JournalError) {
        let names = try perform(path) { () throws(SystemError) in try files.list(path) } ?? []
        for name in names where name.hasSuffix(JournalFormat.draftSuffix) {
            let draft = "\(path)/\(name)"
            try perform(draft) { () throws(SystemError) in
                // A directory with something in it is no draft.
                do throws(SystemError) { try files.remove(draft) } catch where error.number == ENOTEMPTY {
                    _ = try files.setAside(draft, to: "\(draft).replaced-\(environment.wallMilliseconds())")
                }
            }
        }
    }

    func bytes(of number: UInt64, limit: Int = .max) throws(JournalError) -> [UInt8] {
        let file = file(number)
        return try perform(file, isReading: true) { () throws(SystemError) in
            let handle = try files.open(file, .read)
            defer { files.close(handle) }
            let count = min(limit, try files.facts(handle).byteCount)
            return try files.read(handle, at: 0, count: count)
        }
    }

    /// The header of a segment, checked against its name and the module.
    func header(of number: UInt64, _ bytes: ArraySlice<UInt8>) throws(JournalError) -> SegmentHeader {
        let file = file(number)
        let header: SegmentHeader
        do {
            header = try SegmentHeader(decoding: bytes.prefix(JournalFormat.headerByteCount))
        } catch {
            switch error {
            case .empty: throw damaged(number, 0, "the header is not there")
            case .damaged(let reason): throw damaged(number, 0, reason)
            case .version(let version):
                let remedy = version > JournalFormat.version
                    ? "use the release that wrote it, or a later one"
                    : "start the release that wrote it, let its effects settle and take it down; then move \(path) away"
                throw JournalError(
                    .otherFormat, file: file, position: 8, "the format has version \(version), this release reads \(JournalFormat.version) alone",
                    remedy: remedy)
            }
        }
        guard header.module == module else {
            throw JournalError(
                .foreign, file: file, position: 104, "it belongs to the module \(header.module), not to \(module)",
                remedy: "move the file away; a journal is never shared or copied to another module")
        }
        guard header.number == number else {
            throw JournalError(
                .foreign, file: file, position: 16, "its name says segment \(number), its header \(header.number)",
                remedy: "give the file its name back: \(JournalFormat.segmentName(header.number))")
        }
        return header
    }

    func header(of number: UInt64) throws(JournalError) -> SegmentHeader {
        try header(of: number, bytes(of: number, limit: JournalFormat.headerByteCount)[...])
    }

    func damaged(_ number: UInt64, _ position: Int?, _ reason: String) -> JournalError {
        .damaged(file(number), position.map(UInt64.init), reason, module: module.rawValue)
    }

    /// Puts a segment's file out of the way without deleting it; returns its new path.
    func setAside(_ number: UInt64) throws(JournalError) -> String {
        let name = "\(JournalFormat.segmentName(number)).\(environment.wallMilliseconds())"
        return try perform(quarantine) { () throws(SystemError) in
            try files.makeDirectory(quarantine)
            return try files.setAside(file(number), to: "\(quarantine)/\(name)")
        }
    }

    /// Gives the system the same bytes again, so that the next sync brings them to the disk: after a failed one Linux takes what it has in memory
    /// to be there.
    func writeAgain(_ segments: ClosedRange<UInt64>) throws(JournalError) {
        for number in segments {
            let bytes = try bytes(of: number)
            try perform(file(number)) { () throws(SystemError) in
                let handle = try files.open(file(number), .readWrite)
                defer { files.close(handle) }
                try files.writeAll(handle, at: 0, bytes[...])
            }
        }
    }

    /// Makes a whole segment under a draft's name, then gives it its own in one step.
    ///
    /// - Returns: the open file.
    func publish(_ number: UInt64, _ bytes: [UInt8], capacity: Int, onDisk: Bool) throws(JournalError) -> FileHandle {
        let draft = "\(path)/\(JournalFormat.segmentName(number).dropLast(JournalFormat.segmentSuffix.count))\(JournalFormat.draftSuffix)"
        return try perform(file(number)) { () throws(SystemError) in
            let handle = try files.make(draft, at: environment.wallMilliseconds())
            do throws(SystemError) {
                try files.truncate(handle, byteCount: 0)
                try files.allocate(handle, byteCount: max(capacity, bytes.count))
                try files.writeAll(handle, at: 0, bytes[...])
                if onDisk { try files.sync(handle) }
                try files.rename(draft, to: file(number))
                if onDisk { try files.syncDirectory(path) }
                return handle
            } catch {
                files.close(handle)
                try? files.remove(draft)
                throw error
            }
        }
    }
}
