/// What a journal takes from the world around it, so that a simulator can be the world.
package struct JournalEnvironment: Sendable {
    package var files: any FileSystem
    package var bootID: BootID
    /// For messages: who holds a lock.
    package var processID: Int32
    /// Milliseconds since 1970: for people and for the age of a segment.
    package var wallMilliseconds: @Sendable () -> UInt64
    /// Salts and incarnations.
    package var random: @Sendable () -> UInt64

    package init(
        files: any FileSystem, bootID: BootID, processID: Int32, wallMilliseconds: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.files = files
        self.bootID = bootID
        self.processID = processID
        self.wallMilliseconds = wallMilliseconds
        self.random = random
    }
}
