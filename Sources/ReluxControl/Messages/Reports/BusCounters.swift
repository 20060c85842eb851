package import ReluxWire

/// Totals of one process's bus since its start: each loss is counted, none is silent.
///
/// Design notes. More than twenty fields: it is a message, and each field is a total of its own.
package struct BusCounters: Codable, Sendable, Hashable {
    package var framesIn: UInt64 = 0
    package var framesRefused: UInt64 = 0
    package var gaps: UInt64 = 0
    package var repaired: UInt64 = 0
    /// Ranges that a publisher had nothing for us in: settled already, not meant for us, or never said.
    package var passedOver: UInt64 = 0
    package var duplicates: UInt64 = 0
    /// Frames and answers of an earlier life than the latest that was heard.
    package var staleEpoch: UInt64 = 0
    /// Settlements and records that handlers said after a hand-over had cut them.
    package var staleLife: UInt64 = 0
    package var notForUs: UInt64 = 0
    /// Snapshots over the limit of a record; never published.
    package var oversizedSnapshots: UInt64 = 0
    /// Effects of a module that had said too much before it joined; refused as overloaded.
    package var refusedEarly: UInt64 = 0
    /// Effects whose settlement was lost with the power after it was acknowledged: settled, with an unknown result.
    package var resultsLost: UInt64 = 0
    /// Snapshots that could not be coded; counted by the host.
    package var uncodedSnapshots: UInt64 = 0
    /// Transient effects of modules here whose recipients had gone before they settled them.
    package var transientsLost: UInt64 = 0
    /// Transient effects that did not reach a module here.
    package var missed: UInt64 = 0
    /// Processes that had subscribed too much; their connections were ended.
    package var subscribersCut: UInt64 = 0
    /// Losses with lives that a module's journal does not have, a note for each stream; see `Ledger.forgotten`.
    package var forgotten: [ClusterNote] = []
    /// Lost or exchanged files, a note for each module; the host adds them, see ``ModuleFiles``.
    package var files: [ClusterNote] = []
    /// Refused dispatches of modules that are not here, a note for each module; see `LateRefusals`.
    package var late: [ClusterNote] = []
    /// The lost effects of each module here, in all its lives, as its journal says. A module that has left keeps its last word for a while.
    package var lost: [ModuleID: LostBook] = [:]
    /// Modules elsewhere that were heard in a later life than the picture has, and in which.
    package var laterLives: [ModuleID: Epoch] = [:]
    package init() {}
}
