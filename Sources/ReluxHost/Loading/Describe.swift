package import ReluxPlugin

/// Asks a built, unpacked library for its declaration: what `relux-host --describe <library>` prints.
///
/// It loads the library into the calling process for good, so it runs in a process of its own. The library and all that
/// it needs beside it are checked first (ELF, guard, copies), since a broken file would kill the process.
/// - Throws: the first broken rule; layering and hashes are judged when the packed plugin is loaded.
package func describe(library: String, runtimeGuard: String = reluxRuntimeGuard) throws(LoaderError) -> ModuleDeclaration {
    let closure = try LibraryClosure(library: library)
    for image in closure.images {
        try GuardRules.check(image, expected: runtimeGuard, isEntry: image.file == library)
    }
    try CopyRules.check(closure.images)
    for name in Set(closure.images.flatMap(\.needed)).filter(LibraryName.isPlatform).sorted() {
        try Image.openPlatform(name, for: library)
    }
    return try Image.open(library.contains("/") ? library : "./\(library)").declaration
}
