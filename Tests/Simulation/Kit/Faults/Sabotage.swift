/// A deliberate fault of the protocol; the simulation has to find it.
package enum Sabotage: String, CaseIterable, Sendable {
    /// No FETCH arrives.
    case noRepair
    /// No HEAD arrives: nobody learns of a lost tail.
    case noHead
    /// Frames leave before the journal has them.
    case publishBeforeAppend
    /// A publisher says that it has taken settlements before its journal says so.
    case acknowledgeEarly
    /// A settlement is published, and not written.
    case forgetCursor
    /// A module's next life gives numbers out from where the journal ends.
    case reuseSequences
    /// Numbers of a module that others have seen, and its journal does not have, are not written down.
    case noDeclaration
    /// A returning recipient under the same name gets what was meant for the one that was removed.
    case ignoreSince
    /// The broker does not look at which epochs the journals were written under.
    case forgetJournals
    /// The broker does not look at whose lives the journals of others have heard.
    case forgetWitnesses
    /// A host does not heed how far its journals are known to have come.
    case forgetLives
    /// Nothing waits for the disk.
    case sayEarly
    /// Nobody reads the journals of the dead.
    case noCourier
    /// A journal may be opened while another process writes it, and under any epoch.
    case noFencing
    /// The cursor is written apart from the settlement: a death in between leaves the one without the other.
    case splitCursor
    /// The sender of a replay leaves records out, and goes on behind them.
    case replaySkips
    /// A state is captured after the settlement that depends on it was written and published.
    case captureLate
    /// The place of a schedule is written behind the effect of its tick, in a batch of its own.
    case splitTick
    /// The journals of one batch are written in any order.
    case partsUnordered
    /// The broker orders before the registry is on the disk.
    case ordersFirst
    /// A publisher does not ask what of its earlier lives' effects was settled without a trace.
    case noDoubt
    /// A new supervisor life begins with what its file names: whoever was loaded while the cluster ran is forgotten.
    case forgetMembers
    /// Pictures leave without saying who is absent: everybody is waited for.
    case hideAbsence
    /// Effects that are said while a recipient is absent are not kept for it.
    case forgetParked
    /// A host does not heed which modules run their suspects.
    case forgetTrials
    /// Recovery takes the records of a torn batch that have arrived.
    case keepTorn
}
