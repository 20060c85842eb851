package import Relux
package import ReluxJournal

/// Consecutive records of one stream, coded once: their bytes are the same in the journal and in the frame that is made of them.
package struct SaidRun: Sendable, Hashable {
    /// The receivers of a record once it is in the journal.
    package enum Reach: Sendable, Hashable { case nobody, taps, everyone }

    package var module: ModuleID
    package var epoch: Epoch
    package var reach: Reach
    package var run: JournalRun

    package var topic: Topic { run.topic }

    /// The frame that is sent of the run; a run that reaches nobody is not sent.
    package var frame: [UInt8] { run.frame(publisher: module, epoch: epoch) }
}
