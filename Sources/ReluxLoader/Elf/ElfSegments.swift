/// The program headers: what the loader would map, checked against the file's length.
struct ElfSegments {
    private struct Load {
        let address: UInt64
        let offset: UInt64
        let size: UInt64
    }

    private var loads: [Load] = []
    private var notes: [(offset: UInt64, size: UInt64, alignment: UInt64)] = []
    private(set) var dynamic: (offset: UInt64, size: UInt64)?

    init(_ elf: ElfBytes) throws(LoaderError) {
        let table = try elf.number(32, 8, "program header offset")
        let stride = try elf.number(54, 2, "program header size")
        let count = try elf.number(56, 2, "program header count")
        guard count > 0, stride >= 56 else {
            throw elf.malformed("\(count) program headers of \(stride) bytes; a library has at least one of 56")
        }
        for index in 0..<count {
            let header = try elf.entry(table, index, stride, "program header")
            _ = try elf.span(header, 56, "program header \(index)")
            let type = try elf.number(header, 4, "segment type")
            let offset = try elf.number(header + 8, 8, "segment offset")
            let size = try elf.number(header + 32, 8, "segment size")
            switch type {
            case 1:
                let address = try elf.number(header + 16, 8, "segment address")
                _ = try elf.span(offset, size, "segment \(index)")
                guard try elf.number(header + 40, 8, "segment memory size") >= size,
                    !address.addingReportingOverflow(size).overflow
                else { throw elf.malformed("segment \(index) has more bytes in the file than in memory") }
                loads.append(Load(address: address, offset: offset, size: size))
            case 2:
                _ = try elf.span(offset, size, "the dynamic section")
                dynamic = (offset, size)
            case 4:
                _ = try elf.span(offset, size, "note segment \(index)")
                notes.append((offset, size, try elf.number(header + 48, 8, "note alignment")))
            default: break
            }
        }
    }

    /// Where in the file an address of the image lies, for `size` bytes.
    func fileOffset(of address: UInt64, _ size: UInt64, _ elf: ElfBytes, _ what: String) throws(LoaderError) -> UInt64 {
        for load in loads where address >= load.address && address - load.address < load.size {
            let inside = address - load.address
            guard size <= load.size - inside else { break }
            return load.offset + inside
        }
        throw elf.malformed("\(what) at address \(address) with \(size) bytes lies in no segment")
    }

    /// The linker's `NT_GNU_BUILD_ID`, hexadecimal; empty if there is none.
    func buildID(_ elf: ElfBytes) throws(LoaderError) -> String {
        for note in notes {
            let alignment: UInt64 = note.alignment == 8 ? 8 : 4
            func padded(_ size: UInt64) -> UInt64 { (size + alignment - 1) / alignment * alignment }
            let end = note.offset + note.size
            var at = note.offset
            while end - at >= 12 {
                // Each is 32 bits wide, so the sums below cannot overflow.
                let nameSize = try elf.number(at, 4, "note name size")
                let size = try elf.number(at + 4, 4, "note size")
                let type = try elf.number(at + 8, 4, "note type")
                let name = try elf.span(at + 12, nameSize, "note name")
                let description = at + 12 + padded(nameSize)
                let content = try elf.span(description, size, "note content")
                if type == 3, elf.bytes[name].elementsEqual([0x47, 0x4e, 0x55, 0]) {
                    return hexadecimal(elf.bytes[content])
                }
                at = description + padded(size)
                if at > end { break }
            }
        }
        return ""
    }
}

/// Two lower-case digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
