/// Why a module was not packed, or its contract not extracted.
package struct PackError: Error, Hashable, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let name: String
        private init(_ name: String) { self.name = name }
        package var description: String { name }

        /// A tool of the Swift toolchain is missing or failed.
        package static let toolchain = Code("pack.toolchain")
        /// The child process that loads the library did not tell its declaration.
        package static let describe = Code("pack.describe")
        /// The library is no plugin, or a name in it cannot be part of a path.
        package static let library = Code("pack.library")
        /// The interface's symbol graph cannot be read.
        package static let contract = Code("pack.contract")
        /// The contract file beside the interface is not the built interface's.
        package static let staleContract = Code("pack.staleContract")
        /// There is no contract where one was to be read.
        package static let missingContract = Code("contract.missing")
        /// The file that is there is no contract, or one that somebody changed by hand.
        package static let unreadableContract = Code("contract.unreadable")
        package static let write = Code("pack.write")
        /// A folder is no SDK, or there is something else where one was to be written.
        package static let sdk = Code("sdk.folder")
        /// The build or the packed plugin lacks what an SDK takes out of it.
        package static let sdkSource = Code("sdk.source")
        /// The SDK is of another runtime than what was to be added.
        package static let sdkRuntime = Code("sdk.runtime")
        /// A library links what works in another module, which every host would refuse.
        package static let layer = Code("pack.layer")
    }

    package let code: Code
    /// The failure, the offending value, and the remedy.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code): \(message)" }
}
