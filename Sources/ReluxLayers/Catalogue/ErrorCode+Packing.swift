extension ErrorCode {
    package static let packing = [
        packing("pack.toolchain", "a tool of the Swift toolchain is missing, or has failed", "install the toolchain that built the plugin, and pack again"),
        packing(
            "pack.describe", "the child process that loads the library did not tell its declaration",
            "run the library's entry point in a test: it traps, waits or exports nothing"),
        packing("pack.library", "the library is no plugin, or a name in it cannot be part of a path", "export the module, and name it by its grammar"),
        packing("pack.contract", "the symbol graph of the interface cannot be read", "build the interface again, with the toolchain that packs"),
        packing("pack.staleContract", "the contract file beside the interface is not that of the built interface", "relux module pack LIBRARY --write-contract"),
        packing("contract.missing", "there is no contract where one was to be read", "relux module pack LIBRARY --write-contract, and commit what it writes"),
        packing("contract.unreadable", "the file is no contract, or somebody changed it by hand", "write it again: relux module pack LIBRARY --write-contract"),
        packing("pack.write", "the packed plugin could not be written", "make room, or pack to a directory of your own: --out DIRECTORY"),
        packing("pack.layer", "a library links what works in another module, and every host would refuse it", "link the other module's ReluxInt alone"),
        packing("sdk.missing", "no SDK is known here", "name one: --sdk DIR, or RELUX_SDK; make one: relux sdk export DIR"),
        packing("sdk.folder", "the folder is no SDK, or something else is where one was to be written", "name another folder"),
        packing("sdk.source", "the build or the packed plugin lacks what an SDK takes out of it", "build the target ReluxSDK, or pack the module again"),
        packing("sdk.runtime", "the packed plugin is of another runtime than the SDK", "pack the module again with the SDK's relux, or export the SDK anew"),
    ]

    private static func packing(_ id: String, _ why: String, _ remedy: String) -> ErrorCode {
        ErrorCode(id, why: why, remedy: remedy, page: "Sources/ReluxPack/ReluxPack.docc/PackedPlugins.md")
    }
}
