import ReluxLayers
package import ReluxPlugin

/// Asks a built, unpacked library for its declaration: what `relux-host --describe <library>` prints.
///
/// It loads the library into the calling process for good, so it runs in a process of its own. The library and all that
/// it needs beside it are checked first (ELF, guard, copies), since a broken file would kill the process.
/// - Throws: the first broken rule; layering and hashes are judged when the packed plugin is loaded.
package func describe(library: String, runtimeGuard: String = reluxRuntimeGuard) throws(LoaderError) -> ModuleDeclaration {
    try openUnpacked(library, runtimeGuard).declaration
}

/// Asks a built, unpacked library for the raw values of enums: what `relux-host --raw-values <library>` prints.
///
/// Nothing that the compiler leaves behind has them, so the code itself is asked; what ``describe(library:runtimeGuard:)`` says of
/// processes and checks holds here too.
/// - Parameter enums: the number of cases by the type's mangled name without its `$s`.
/// - Returns: the values as texts, numbers in decimal, in the order of the cases; without those types that are not found or
///   whose raw values are neither texts nor whole numbers.
package func rawValues(
    library: String, enums: [String: Int], runtimeGuard: String = reluxRuntimeGuard
) throws(LoaderError) -> [String: [String]] {
    _ = try openUnpacked(library, runtimeGuard)
    var values: [String: [String]] = [:]
    for (name, count) in enums {
        guard let type = _typeByName(name) as? any RawRepresentable.Type else { continue }
        values[name] = EnumCases.rawValues(of: type, count: count)
    }
    return values
}

private func openUnpacked(_ library: String, _ runtimeGuard: String) throws(LoaderError) -> PluginBox {
    let closure = try LibraryClosure(library: library)
    for image in closure.images {
        try GuardRules.check(image, expected: runtimeGuard, isEntry: image.file == library)
    }
    try CopyRules.check(closure.images)
    for name in Set(closure.images.flatMap(\.needed)).filter(LibraryName.isPlatform).sorted() {
        try Image.openPlatform(name, for: library)
    }
    return try Image.open(library.contains("/") ? library : "./\(library)")
}
