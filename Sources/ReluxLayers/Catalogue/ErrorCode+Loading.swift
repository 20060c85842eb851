extension ErrorCode {
    package static let loading = [
        loading("loader.unreadable", "a plugin's directory, or a file in it, cannot be read", "bring it back, or let the cluster's user read it"),
        loading("loader.notElf", "the file is no library", "build the plugin again, and pack it"),
        loading("loader.truncated", "the library ends before what its own tables say", "pack the plugin again: it was copied in part"),
        loading("loader.class", "the library has 32 bits, or its bytes the other way round", "build it for this machine"),
        loading("loader.machine", "the library was built for another processor", "build it for this machine"),
        loading("loader.type", "the file is an executable or an object file, and no shared library", "build a product of the type .dynamic"),
        loading("loader.malformed", "the library's tables contradict themselves", "build the plugin again, and pack it"),
        loading("loader.manifest", "the plugin's manifest cannot be read, or says what cannot be", "pack it again: relux module pack"),
        loading("loader.format", "the manifest has the format of another build of relux", "pack the plugin again with this build"),
        loading("loader.fileName", "the manifest names a file that cannot be a library of the plugin", "pack it again: relux module pack"),
        loading("loader.missing", "a library that the manifest names is not there", "pack the plugin again: somebody removed a file"),
        loading("loader.size", "a library has another size than the manifest says", "pack the plugin again: somebody changed a file"),
        loading("loader.hash", "a library has other bytes than the manifest says", "pack the plugin again: somebody changed a file"),
        loading("loader.unlisted", "the plugin's directory holds a library that the manifest does not name", "remove it, or pack the plugin again"),
        loading("loader.guard", "the plugin was built against another runtime than the host", "build it with the host's relux, and pack it"),
        loading("loader.entry", "the library has no entry point of a plugin", "export the module: exportModule(Notes.Module.self)"),
        loading("loader.coreCopy", "the library carries a copy of the core: its types would be others", "depend on the product Relux, never on its targets"),
        loading("loader.typeCopy", "two libraries of the plugin define one type: casts between the two are false", "link the layer as a product"),
        loading("loader.open", "the system's loader refused the library; the message has its words", "mend what it names, and pack again"),
        loading("loader.platform", "a library of the platform is not where the host finds it", "install it, or start the host where it is"),
        loading("loader.otherVersion", "another version of the module is loaded in this process", "upgrade it: relux module upgrade, which takes a new process"),
        loading("loader.moduleTwice", "the module is in this process already", "unload it first, or load the version elsewhere: --host NAME"),
        loading("loader.declaration", "the library declares something else than its manifest", "pack it again: relux module pack"),
        loading("loader.schedule", "a schedule of the plugin has a bad name, time or effect", "mend the line: the message has file, value and range"),
        loading("loader.topic", "the plugin declares an effect or a snapshot whose name cannot travel", "rename the type: the message has the grammar"),
        loading("layer.unknown", "a library's name carries no declared module", "name it lib<Module><Part>.so, or declare its module first"),
    ]

    private static func loading(_ id: String, _ why: String, _ remedy: String) -> ErrorCode {
        ErrorCode(id, why: why, remedy: remedy, page: "Sources/ReluxPlugin/ReluxPlugin.docc/PackingAndLoading.md")
    }
}
