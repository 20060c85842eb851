/// The surroundings that a journal depends on; a simulator can take their place.
package struct JournalEnvironment: Sendable {
    package var files: any FileSystem
    package var bootID: BootID
    /// For messages: who holds a lock.
    package var processID: Int32
    /// Milliseconds since 1970: for people.
    package var wallMilliseconds: @Sendable () -> UInt64
    /// The same as it was when this was made, and what has passed since: for ages, for a clock that is set makes nothing older.
    package var steadyMilliseconds: @Sendable () -> UInt64
    /// Salts and incarnations.
    package var random: @Sendable () -> UInt64

    package init(
        files: any FileSystem, bootID: BootID, processID: Int32, wallMilliseconds: @escaping @Sendable () -> UInt64,
        steadyMilliseconds: (@Sendable () -> UInt64)? = nil, random: @escaping @Sendable () -> UInt64
    ) {
        self.files = files
        self.bootID = bootID
        self.processID = processID
        self.wallMilliseconds = wallMilliseconds
        self.steadyMilliseconds = steadyMilliseconds ?? wallMilliseconds
        self.random = random
    }
}
