import Synchronization

/// Tells how deep in the stack it is called, to compare one call with another of the same test.
final class StackProbe: Sendable {
    private let lowest = Mutex<UInt>(0)

    /// The address of something on the stack here; stacks grow towards zero.
    var note: @Sendable () -> Void {
        {
            var here = 0
            let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
            self.lowest.withLock { $0 = address }
        }
    }

    /// Where the last call of ``note`` was.
    var place: UInt { lowest.withLock { $0 } }

    /// How many bytes deeper the closure runs after a thousand more accesses to what holds it.
    func growth(access: () -> Void, call: () -> Void) -> Int {
        access()
        call()
        let first = place
        for _ in 0..<1_000 { access() }
        call()
        return Int(first) - Int(place)
    }
}
