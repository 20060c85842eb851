import ReluxPlugin

/// The runtime guard, read from the file before the operating system's loader repeats the check.
enum GuardRules {
    /// - Parameter isEntry: the library is the one that is opened by name, and exports the plugin entry.
    /// - Throws: `loader.coreCopy`, `loader.guard`, `loader.entry`.
    static func check(_ image: ElfImage, expected: String, isEntry: Bool) throws(LoaderError) {
        if let own = image.ownGuards.first {
            throw LoaderError(
                .coreCopy, offender: image.file, "it carries its own copy of Relux (it defines \(own))",
                remedy: "link Relux as the dynamic product of relux-cluster, never as a target")
        }
        for wanted in image.wantedGuards where wanted != expected {
            throw LoaderError(
                .runtimeGuard, offender: image.file, "built against runtime \(wanted), this host is \(expected)",
                remedy: "build and pack it again with this host's SDK (relux sdk says which) or checkout: swift build, relux module pack LIBRARY")
        }
        guard isEntry else { return }
        guard image.exportsEntry else {
            throw LoaderError(
                .entry, offender: image.file, "it does not export \(reluxPluginEntry)",
                remedy: "write @c(\(reluxPluginEntry)) public func … -> UnsafeMutableRawPointer { exportModule(My.Module.self) }")
        }
        guard !image.wantedGuards.isEmpty else {
            throw LoaderError(
                .runtimeGuard, offender: image.file, "it refers to no runtime guard, expected is \(expected)",
                remedy: "make its entry point return exportModule(My.Module.self)")
        }
    }
}
