import ReluxPlugin

extension ElfImage {
    /// Sorts the dynamic symbols into what the checks ask for.
    mutating func readSymbols(_ elf: ElfBytes, _ dynamic: ElfDynamic) throws(LoaderError) {
        let guardPrefix = Array("relux_abi_".utf8)
        let entry = Array(reluxPluginEntry.utf8)
        let swiftPrefix = Array("$s".utf8)
        let imported = Array("So".utf8)
        let count = try symbolCount(elf, dynamic)
        _ = try elf.span(dynamic.symbols, count * 24, "the symbol table")
        // Entry 0 is reserved.
        for index in stride(from: 1, to: count, by: 1) {
            let at = dynamic.symbols + index * 24
            let name = try dynamic.strings.bytes(at: try elf.number(at, 4, "symbol name"), "symbol \(index)")
            let isDefined = try elf.number(at + 6, 2, "symbol section") != 0
            if name.starts(with: guardPrefix) {
                let text = String(decoding: name, as: UTF8.self)
                if isDefined { ownGuards.append(text) } else { wantedGuards.append(text) }
            } else if isDefined, name.starts(with: swiftPrefix), name.last == 0x6e || name.last == 0x70,
                name.dropLast().last == 0x4d, !name.dropFirst(2).starts(with: imported)
            {
                // `Mn` ends the descriptor of a nominal type, `Mp` that of a protocol. Those of C types are emitted
                // wherever they are used, and the runtime makes them one.
                typeDescriptors.append(String(decoding: name, as: UTF8.self))
            } else if isDefined, name.elementsEqual(entry) {
                exportsEntry = true
            }
        }
    }

    /// The dynamic section does not tell the number of symbols; the section of type `SHT_DYNSYM` does.
    private func symbolCount(_ elf: ElfBytes, _ dynamic: ElfDynamic) throws(LoaderError) -> UInt64 {
        let table = try elf.number(40, 8, "section header offset")
        let stride = try elf.number(58, 2, "section header size")
        let count = try elf.number(60, 2, "section header count")
        guard stride >= 64 || count == 0 else { throw elf.malformed("section headers of \(stride) bytes, they have 64") }
        var symbols: UInt64?
        for index in 0..<count {
            let header = try elf.entry(table, index, stride, "section header")
            _ = try elf.span(header, 64, "section header \(index)")
            guard try elf.number(header + 4, 4, "section type") == 11 else { continue }
            let offset = try elf.number(header + 24, 8, "symbol table offset")
            let size = try elf.number(header + 32, 8, "symbol table size")
            guard offset == dynamic.symbols else {
                throw elf.malformed("two symbol tables: at \(offset) by section, at \(dynamic.symbols) for the loader")
            }
            _ = try elf.span(offset, size, "the symbol table")
            symbols = size / 24
        }
        guard let symbols else {
            throw elf.malformed("it has no section of dynamic symbols; strip it with --strip-debug at most")
        }
        return symbols
    }
}
