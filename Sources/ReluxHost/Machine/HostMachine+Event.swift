package import Relux
package import ReluxControl
package import ReluxPlugin

/// A library that was loaded, or is linked into the executable.
package struct HostedImage: Sendable {
    package var declaration: ModuleDeclaration
    /// Interfaces that the library needs, from its NEEDED entries.
    package var imports: [String]
    /// The packed plugin; empty for a linked module.
    package var directory: String

    package init(_ declaration: ModuleDeclaration, imports: [String], directory: String = "") {
        (self.declaration, self.imports, self.directory) = (declaration, imports, directory)
    }

    package var id: ModuleID { declaration.id }

    /// `<packed>/<module>/<version>`: the module that a plugin is for, whatever its manifest says.
    package static func moduleID(ofPlugin directory: String) -> ModuleID {
        directory.split(separator: "/").dropLast().last.flatMap { ModuleID(rawValue: String($0)) } ?? "unknown"
    }
}

/// The state of this process's end of the bus, as far as the machine depends on it.
package struct BusStatus: Sendable {
    /// Every host that must be heard has answered.
    package var isJoined: Bool
    /// Every host that must hear us has asked.
    package var isHeard: Bool
    /// Hosts that have not answered.
    package var unanswered: [HostID]
    /// Modules of ``HostMachine/onTrial`` whose suspects have not ended.
    package var suspects: Set<ModuleID>
    /// The latest picture that the bus has.
    package var pictureVersion: UInt64

    package init(isJoined: Bool, isHeard: Bool, unanswered: [HostID], suspects: Set<ModuleID>, pictureVersion: UInt64) {
        (self.isJoined, self.isHeard, self.unanswered, self.suspects) = (isJoined, isHeard, unanswered, suspects)
        self.pictureVersion = pictureVersion
    }
}

extension HostMachine {
    package enum Event: Sendable {
        /// The process has begun. `linked`: modules that need no loading. `plugins`: packed plugins to load.
        case begin(linked: [HostedImage], plugins: [String], ModuleKinds?)
        case order(HostOrder)
        /// Answer to ``Action/load(directory:_:)``.
        case loaded(directory: String, LoadOutcome)
        /// Answer to ``Action/setUp(_:_:)``.
        case setUp(ModuleID, SetUpOutcome)
        /// Answer to ``Action/leave(_:_:)`` and ``Action/handOver(_:older:)``: the journal is sealed. `failure`: why states could not be stored in an older version.
        case gone(ModuleID, failure: String?)
        /// The module's life of that epoch, which was handed over, has released its resources.
        case cleaned(ModuleID, Epoch)
        /// Hosts have answered that must be heard.
        case heard
        case tick
        /// Answer to ``Action/lookAgain``.
        case empty
        /// The process is asked to end.
        case end(why: String)
        /// The supervisor is gone, and every other process with it.
        case orphaned
    }

    package enum LoadOutcome: Sendable {
        case loaded(HostedImage)
        case refused(ModuleID, code: String, message: String)
        /// For a reason that is no fault of the plugin; the log has it.
        case failed
    }

    package enum SetUpOutcome: Sendable {
        /// The module is on the bus and closed. `hasSuspects`: effects that were open when its process died run first.
        case done(hasSuspects: Bool)
        /// The disk is full, or another process still has the journal.
        case delayed(why: String)
        /// The journal was written under that epoch in another process.
        case outlived(by: Epoch, why: String)
        case failed(code: String, message: String)
        /// The module was not wanted under this epoch any more; see ``HostMachine/isWanted(_:_:)``.
        case withdrawn
    }

    package enum Action: Sendable {
        case send(HostMessage)
        case log(String)
        /// Check and open a packed plugin. `kinds`: the modules of the cluster, as the broker says.
        case load(directory: String, ModuleKinds?)
        /// Read which handlers ran when the last process of these modules died. `areTogether`: they ran in the same process.
        case readTables([ModuleID], areTogether: Bool)
        /// Open the module's journal, make the module and join the bus.
        case setUp(ModuleID, Attempt)
        /// Join the bus as one who takes over later, and follow the owner's journal.
        case standBy(ModuleID)
        /// Undo ``standBy(_:)``.
        case standDown(ModuleID)
        /// Let the module handle what it hears and say what it has to say; the broker is told next.
        case open(ModuleID)
        /// The module is open, and the broker knows.
        case opened(ModuleID)
        case handOver(ModuleID, older: [String: UInt32])
        case leave(ModuleID, Departure.Kind)
        /// The module has no image here any more.
        case release(ModuleID)
        /// Tell the broker the stored shapes of the module's states, for the plan of a rollback.
        case sayStored(ModuleID)
        /// Tell the broker where the module's start barrier stands.
        case sayBarrier(ModuleID)
        /// Tell the broker what the bus has counted, before modules become ready.
        case sayTotals
        /// Answer with ``Event/empty`` behind all that has come meanwhile.
        case lookAgain
        /// The end begins: modules leave next.
        case beginEnd(isOrphan: Bool)
        case exit(HostEnd)
    }
}
