import ReluxControl
import ReluxJournal
import Testing

@testable import ReluxHost

@Suite struct PassingTroubleTests {
    @Test(arguments: [(JournalError.Code.full, true), (.denied, true), (.locked, true), (.damaged, false), (.foreign, false)])
    func `a module waits for what the disk may take later, and for nothing else`(_ code: JournalError.Code, _ passes: Bool) {
        #expect(PassingTrouble.isPassing(JournalError(code, file: "/node/Auth", "why", remedy: "what helps")) == passes)
    }

    @Test func `so it does for a folder that cannot be made now`() throws {
        // Nobody makes a directory there, root included.
        let denied = #expect(throws: RunDirectoryError.self) { try RunDirectory(path: "/sys/relux").create() }
        #expect(try PassingTrouble.isPassing(#require(denied)))
        let misplaced = #expect(throws: RunDirectoryError.self) { try RunDirectory(path: "/dev/null").create() }
        #expect(try !PassingTrouble.isPassing(#require(misplaced)))
    }
}
