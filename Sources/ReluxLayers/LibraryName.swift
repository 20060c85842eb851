/// A library's file name taken apart: whose it is, and which layer of that module.
package struct LibraryName: Hashable, Sendable {
    /// `AuthReluxInt` of `libAuthReluxInt.so`; a version behind `.so` is cut off.
    package let stem: String

    package init(file: String) {
        var name = Substring(file)
        if name.hasPrefix("lib") { name = name.dropFirst(3) }
        stem = String(name.firstRange(ofSuffixMark: ".so").map { name[..<$0] } ?? name)
    }

    /// The module before the layer's suffix, for example `Auth` and `.interface`; nil if no suffix matches. Views are libraries of programs, and have
    /// none here: `NotesUI` may be a module of its own.
    package var layered: (module: String, layer: Layer)? { Layer.split(stem).flatMap { $0.layer.isView ? nil : $0 } }

    /// The interface that a library imports by linking this one: itself, or the interface that a kit hands on; nil for any other layer.
    package var imported: String? {
        guard let (module, layer) = layered, layer == .interface || layer == .kit else { return nil }
        return module + Layer.interface.rawValue
    }

    /// The module that owns the library, given the names of the modules there are.
    ///
    /// A name with a layer's suffix belongs to exactly the module before it. Any other (`AuthCrypto`) belongs to the
    /// longest name that it begins with at a word's border.
    package func owner(among modules: some Sequence<String>) -> String? {
        if let layered { return layered.module }
        return modules.filter { module in
            guard stem.hasPrefix(module) else { return false }
            guard let next = stem.dropFirst(module.count).first else { return true }
            return !next.isLowercase
        }.max { $0.utf8.count < $1.utf8.count }
    }

    /// True for the bare name of what a host has anyway: the core, its products for files and databases, the Swift runtime, Foundation, GRDB and the system's C libraries.
    package static func isPlatform(_ file: String) -> Bool {
        // A path is opened as it stands.
        if file.utf8.contains(UInt8(ascii: "/")) { return false }
        let families = ["libswift", "libFoundation", "lib_Foundation", "libGRDB", "ld-linux"]
        if families.contains(where: file.hasPrefix) { return true }
        let single: Set = [
            "Relux", "ReluxFiles", "ReluxStorage", "dispatch", "BlocksRuntime", "sqlite3", "sodium", "zmq", "c", "m", "dl", "rt", "pthread", "util",
            "gcc_s", "stdc++", "atomic", "z",
        ]
        return file.hasPrefix("lib") && file.contains(".so") && single.contains(LibraryName(file: file).stem)
    }
}

extension Substring {
    /// Where `.so` begins, as the end of the name or before a version.
    fileprivate func firstRange(ofSuffixMark mark: String) -> Index? {
        var at = startIndex
        while at < endIndex {
            let rest = self[at...]
            if rest.hasPrefix(mark), rest.dropFirst(mark.count).first.map({ $0 == "." }) ?? true { return at }
            at = index(after: at)
        }
        return nil
    }
}
