import Glibc
import ReluxSystem
import ReluxZeroMQ
import Testing

@Suite struct ContextTests {
    @Test func `terminating wakes a thread that waits for a message`() throws {
        let context = try ZeroMQContext()
        let bound = try WakeUp()
        let thread = try BlockingThread(name: "waits") {
            do {
                let socket = try ZeroMQSocket(.pair, in: context)
                try socket.bind("inproc://waits")
                bound.signal()
                _ = try socket.receiveBytes(wait: true)
                Issue.record("a message came from nowhere")
            } catch {
                #expect((error as? ZeroMQError)?.isTerminated == true)
            }
        }
        var poller = Poller()
        poller.add(fileDescriptor: bound.fileDescriptor)
        #expect(try poller.wait(milliseconds: 20_000) == 1)
        context.terminate()
        context.terminate()
        thread.join()
        #expect(thrown { _ = try ZeroMQSocket(.pair, in: context) }?.isTerminated == true)
    }

    @Test func `one socket too many is an error that names the remedy`() throws {
        let context = try ZeroMQContext(maximumSockets: 2)
        let first = try ZeroMQSocket(.pair, in: context)
        let second = try ZeroMQSocket(.pair, in: context)
        let error = thrown { _ = try ZeroMQSocket(.pair, in: context) }
        #expect(error?.code == EMFILE)
        #expect(error?.message.contains("maximumSockets") == true)
        first.close()
        second.close()
    }

    @Test func `a limit that makes no sense is refused by name`() {
        #expect(thrown { _ = try ZeroMQContext(maximumSockets: -5) }?.message.contains("maximumSockets is -5") == true)
        #expect(thrown { _ = try ZeroMQContext(ioThreads: -1) }?.message.contains("ioThreads is -1") == true)
    }
}
