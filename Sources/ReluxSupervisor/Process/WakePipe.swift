internal import CReluxProcess
import Glibc

/// A pipe that no child inherits, closed with its last owner. Both numbers are above 3, which are the child's.
final class ChildPipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(SpawnError) {
        var ends: [Int32] = [-1, -1]
        guard relux_process_pipe(&ends) == 0 else { throw SpawnError(executable: "a pipe", errno: errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }
}

/// Lets any thread end another's `poll`; signals add up to one.
final class WakePipe: Sendable {
    private let pipe: ChildPipe
    var readEnd: Int32 { pipe.readEnd }

    init() throws(SpawnError) {
        pipe = try ChildPipe()
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// A full pipe is readable already.
    func signal() {
        var byte: UInt8 = 1
        while write(pipe.writeEnd, &byte, 1) < 0, errno == EINTR {}
    }

    /// Call it before looking for what the signal announced.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while read(pipe.readEnd, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
