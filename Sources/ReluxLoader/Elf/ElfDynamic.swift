/// The dynamic section: what the loader goes by.
struct ElfDynamic {
    let strings: ElfStrings
    /// Offsets in `strings`.
    let needed: [UInt64]
    let soname: UInt64?
    /// File offset of the dynamic symbol table.
    let symbols: UInt64

    /// - Throws: `loader.type` for a position-independent executable, `loader.malformed` when a table is missing.
    init(_ elf: ElfBytes, _ segments: ElfSegments) throws(LoaderError) {
        guard let section = segments.dynamic else {
            throw LoaderError(
                .fileType, offender: elf.file, "it has no dynamic section", remedy: "link it as a shared library")
        }
        var needed: [UInt64] = []
        var soname: UInt64?
        var stringsAddress: UInt64?
        var stringsSize: UInt64?
        var symbolsAddress: UInt64?
        for index in 0..<(section.size / 16) {
            let at = section.offset + index * 16
            let tag = try elf.number(at, 8, "dynamic tag")
            let value = try elf.number(at + 8, 8, "dynamic value")
            if tag == 0 { break }
            switch tag {
            case 1: needed.append(value)
            case 5: stringsAddress = value
            case 6: symbolsAddress = value
            case 10: stringsSize = value
            case 14: soname = value
            case 0x6fff_fffb where value & 0x0800_0000 != 0:
                throw LoaderError(
                    .fileType, offender: elf.file, "it is an executable, not a shared library",
                    remedy: "name the shared library")
            default: break
            }
        }
        guard let stringsAddress, let stringsSize, let symbolsAddress else {
            throw elf.malformed("the dynamic section names no symbol table or no string table")
        }
        let offset = try segments.fileOffset(of: stringsAddress, stringsSize, elf, "the string table")
        strings = ElfStrings(elf: elf, range: try elf.span(offset, stringsSize, "the string table"))
        symbols = try segments.fileOffset(of: symbolsAddress, 24, elf, "the symbol table")
        self.needed = needed
        self.soname = soname
    }
}
