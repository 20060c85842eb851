/// Exit codes with which a process of the cluster says why it could not go on; nobody's handler is to blame. Behind sysexits' codes.
package enum ProcessExit {
    /// Its journal takes nothing any more.
    package static let journalBroken: Int32 = 81
    /// Files that its modules had open, or a journal, were taken away from under them.
    package static let filesTaken: Int32 = 82
}
