import Glibc
import ReluxPlugin

/// The calls to the operating system's loader.
///
/// Images are opened with all symbols resolved, private to themselves, and never closed: a Swift image cannot be
/// unloaded (the runtime keeps pointers into its metadata).
package enum Image {
    private static let flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE

    /// Opens the library and calls its entry point.
    /// - Throws: `loader.open` with the loader's words, `loader.entry`, `loader.coreCopy` when what the entry point
    ///   returns is not a box of this runtime, `loader.topic`, `loader.schedule`.
    static func open(_ path: String) throws(LoaderError) -> PluginBox {
        guard let image = dlopen(path, flags) else {
            throw LoaderError(
                .open, offender: path, lastError(),
                remedy: "pack the module again, all its libraries lie beside it in the directory")
        }
        guard let symbol = dlsym(image, reluxPluginEntry) else {
            throw LoaderError(
                .entry, offender: path, lastError(),
                remedy: "write @c(\(reluxPluginEntry)) public func … -> UnsafeMutableRawPointer { exportModule(My.Module.self) }")
        }
        typealias Entry = @convention(c) () -> UnsafeMutableRawPointer?
        guard let pointer = unsafeBitCast(symbol, to: Entry.self)() else {
            throw LoaderError(
                .entry, offender: path, "its entry point returned nothing",
                remedy: "make its entry point return exportModule(My.Module.self)")
        }
        guard let box = Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue() as? PluginBox else {
            throw LoaderError(
                .coreCopy, offender: path, "its entry point returned something that is no PluginBox of this runtime",
                remedy: "link Relux as the dynamic product of relux-cluster, and return exportModule(My.Module.self)")
        }
        if let fault = box.declaration.topicFault {
            throw LoaderError(.topic, offender: path, fault, remedy: "then build and pack the module again")
        }
        if let fault = box.scheduleFault {
            throw LoaderError(.schedule, offender: path, fault, remedy: "then build and pack the module again")
        }
        return box
    }

    /// Opens a platform library by its bare name, so that it is searched where the host finds its own.
    ///
    /// A packed plugin's own search path is its directory alone; glibc then takes an already loaded image of that name.
    static func openPlatform(_ name: String, for plugin: String) throws(LoaderError) {
        guard dlopen(name, flags) != nil else {
            throw LoaderError(
                .platform, offender: plugin, "it needs \(name): \(lastError())",
                remedy: "put \(name) beside the host, or its folder into LD_LIBRARY_PATH")
        }
    }

    /// The same ahead of time; whoever needs one that is not there is told when it is opened in earnest.
    package static func openEarly(_ names: [String]) {
        for name in names { _ = dlopen(name, flags) }
    }

    private static func lastError() -> String { dlerror().map { String(cString: $0) } ?? "no reason given" }
}
