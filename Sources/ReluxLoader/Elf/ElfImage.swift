import ReluxPlugin

/// The facts that a shared library states of itself, read without loading it.
///
/// The operating system's loader dies on a truncated file and reports a library for another processor as missing; so
/// nothing is opened that has not passed through here. Total: any bytes give an image or a ``LoaderError``.
/// Source: System V ABI, gABI chapters 4 and 5; `e_machine` and `DF_1_PIE` as in `<elf.h>`.
package struct ElfImage: Sendable, Hashable {
    /// The path it was read from.
    package let file: String
    /// File names of the libraries it needs, in their order.
    package internal(set) var needed: [String] = []
    package internal(set) var soname: String?
    /// Hexadecimal; empty if the library has none.
    package internal(set) var buildID = ""
    /// Guard symbols it wants from its runtime: one in a plugin, none in a library that exports no module.
    package internal(set) var wantedGuards: [String] = []
    /// Guard symbols it defines itself: the core, or a copy of it.
    package internal(set) var ownGuards: [String] = []
    /// True when it exports the plugin entry.
    package internal(set) var exportsEntry = false
    /// Mangled names of descriptors of the nominal types and protocols that it defines.
    package internal(set) var typeDescriptors: [String] = []

    init(file: String) { self.file = file }

    /// The processor of this process, as `e_machine` numbers it.
    package static var hostMachine: UInt16 {
        #if arch(x86_64)
            62
        #elseif arch(arm64)
            183
        #elseif arch(riscv64)
            243
        #else
            #error("add this processor's e_machine number")
        #endif
    }
}

extension ElfImage {
    /// Reads the file and checks it.
    package init(contentsOf file: String) throws(LoaderError) {
        try self.init(bytes: readFile(file), file: file)
    }

    /// Checks the bytes of a whole file.
    /// - Throws: `loader.notElf`, `.class`, `.machine`, `.type`, `.truncated`, `.malformed`.
    package init(bytes: [UInt8], file: String) throws(LoaderError) {
        self.init(file: file)
        let elf = ElfBytes(bytes: bytes, file: file)
        try Self.checkHeader(elf)
        let segments = try ElfSegments(elf)
        let dynamic = try ElfDynamic(elf, segments)
        needed = try dynamic.needed.map { offset throws(LoaderError) in try dynamic.strings.text(at: offset, "needed") }
        if let offset = dynamic.soname { soname = try dynamic.strings.text(at: offset, "soname") }
        buildID = try segments.buildID(elf)
        try readSymbols(elf, dynamic)
    }

    private static func checkHeader(_ elf: ElfBytes) throws(LoaderError) {
        let magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]
        guard elf.bytes.prefix(4).elementsEqual(magic.prefix(elf.bytes.count)) else {
            throw LoaderError(
                .notELF, offender: elf.file, "it does not begin with the ELF magic", remedy: "name a shared library")
        }
        _ = try elf.span(0, 64, "the file header")
        guard elf.bytes[4] == 2, elf.bytes[5] == 1 else {
            throw LoaderError(
                .elfClass, offender: elf.file,
                "class \(elf.bytes[4]) and byte order \(elf.bytes[5]), needed are 2 (64 bits) and 1 (little endian)",
                remedy: "build it for this machine")
        }
        let machine = try elf.number(18, 2, "machine")
        guard machine == UInt64(hostMachine) else {
            throw LoaderError(
                .machine, offender: elf.file, "built for machine \(machine), this host is machine \(hostMachine)",
                remedy: "build it for this machine")
        }
        let type = try elf.number(16, 2, "type")
        guard type == 3 else {
            throw LoaderError(
                .fileType, offender: elf.file, "ELF type \(type), a shared library has type 3",
                remedy: "name the shared library, not an executable or an object file")
        }
    }
}
