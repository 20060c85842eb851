/// The bytes of a file that claims to be ELF64; every access is checked and names what it was after.
struct ElfBytes {
    let bytes: [UInt8]
    /// For errors.
    let file: String

    var count: UInt64 { UInt64(bytes.count) }

    /// The range of `count` bytes at `offset`.
    /// - Throws: `loader.truncated` when the file ends before it does.
    func span(_ offset: UInt64, _ length: UInt64, _ what: String) throws(LoaderError) -> Range<Int> {
        guard offset <= count, length <= count - offset else {
            throw LoaderError(
                .truncated, offender: file,
                "\(what) lies at offset \(offset) with \(length) bytes, the file has \(count)",
                remedy: "build or copy it again and publish it by rename")
        }
        return Int(offset)..<Int(offset + length)
    }

    /// A little-endian number of `width` bytes.
    func number(_ offset: UInt64, _ width: UInt64, _ what: String) throws(LoaderError) -> UInt64 {
        let range = try span(offset, width, what)
        var value: UInt64 = 0
        for index in range.reversed() { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    /// `base + index * stride`, or an error where that has no meaning.
    func entry(_ base: UInt64, _ index: UInt64, _ stride: UInt64, _ what: String) throws(LoaderError) -> UInt64 {
        let (product, tooFar) = index.multipliedReportingOverflow(by: stride)
        let (sum, overflow) = base.addingReportingOverflow(product)
        guard !tooFar, !overflow else { throw malformed("\(what) \(index) lies beyond any offset (base \(base))") }
        return sum
    }

    func malformed(_ message: String) -> LoaderError {
        LoaderError(.malformed, offender: file, message, remedy: "build it again with the toolchain's linker")
    }
}

/// A string table inside the file: names are addressed by their offset and end in a zero byte.
struct ElfStrings {
    let elf: ElfBytes
    let range: Range<Int>

    /// The name's bytes without the zero.
    func bytes(at offset: UInt64, _ what: String) throws(LoaderError) -> ArraySlice<UInt8> {
        guard offset < UInt64(range.count) else {
            throw elf.malformed("\(what) has its name at \(offset) of a string table with \(range.count) bytes")
        }
        let start = range.lowerBound + Int(offset)
        guard let end = elf.bytes[start..<range.upperBound].firstIndex(of: 0) else {
            throw elf.malformed("\(what) has a name at \(offset) without an end")
        }
        return elf.bytes[start..<end]
    }

    func text(at offset: UInt64, _ what: String) throws(LoaderError) -> String {
        String(decoding: try bytes(at: offset, what), as: UTF8.self)
    }
}
