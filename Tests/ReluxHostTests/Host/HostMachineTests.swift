import Relux
import ReluxControl
@testable import ReluxHost
import Testing

@Suite struct HostMachineTests {
    @Test func `a module is set up, heard, opened and drained`() {
        var host = HostMachineBench("A")
        host.bus.isJoined = false
        #expect(host.welcome(["A": Epoch(1)]) == ["set A up under 1"])
        #expect(host.setUp("A") == ["A is recovering"])
        #expect(host.on(.proceed(module: "A")) == [])
        host.bus.isJoined = true
        #expect(host.on(.heard) == ["A is waiting", "open A", "A is ready"])
        #expect(host.machine.isAtRest)
        #expect(host.on(.drain(module: "A")) == ["A is draining", "A leaves, removed"])
        #expect(host.on(.gone("A", failure: nil)) == ["A left", "look again"])
        #expect(host.on(.empty) == ["exit done"])
    }

    @Test func `a host whose last module has left stays when it is to load another one`() {
        var host = HostMachineBench("A")
        host.serve("A")
        host.on(.drain(module: "A"))
        #expect(host.on(.gone("A", failure: nil)) == ["A left", "look again"])
        #expect(host.on(.load(directory: "packed/B/1.0.0")) == ["load packed/B/1.0.0"])
        #expect(host.on(.empty) == [])
        #expect(host.on(.loaded(directory: "packed/B/1.0.0", .loaded(HostMachineBench.image("B")))) == ["hello B - starting"])
    }

    @Test func `a hello between two orders to serve speaks of the life that was promised, not of the one that ends`() {
        var host = HostMachineBench("A")
        host.serve("A")
        #expect(host.on(.serve(module: "A", epoch: Epoch(2))) == ["hand A over"])
        host.now += .seconds(1)
        #expect(host.on(.introduce) == ["hello A 2 recovering"])
        #expect(host.on(.gone("A", failure: nil)) == [])
        host.now += .seconds(1)
        #expect(host.on(.introduce) == ["hello A 2 recovering"])
        #expect(host.on(.cleaned("A", Epoch(1))) == ["set A up under 2, held"])
    }

    @Test func `an order to proceed that comes before the order to serve has its turn counts for it`() {
        var host = HostMachineBench("A", "B")
        host.welcome(["B": Epoch(1)])
        host.on(.standby(module: "A"))
        host.on(.serve(module: "A", epoch: Epoch(2)))
        host.on(.proceed(module: "A"))
        #expect(host.setUp("B") == ["B is recovering", "B is waiting", "stand by for A", "A is standby", "set A up under 2, held"])
        #expect(host.setUp("A") == ["A is recovering", "A is waiting", "open A", "A is ready"])
    }

    @Test func `an order to proceed is for the epoch before it and for no other`() {
        var host = HostMachineBench("A")
        host.serve("A")
        host.on(.serve(module: "A", epoch: Epoch(2)))
        host.on(.gone("A", failure: nil))
        host.on(.cleaned("A", Epoch(1)))
        #expect(host.setUp("A") == ["A is recovering", "A is waiting"])
        #expect(host.on(.proceed(module: "A")) == ["open A", "A is ready"])
    }

    @Test func `a welcome under a later epoch while a module is made ends that try`() {
        var host = HostMachineBench("A")
        host.welcome(["A": Epoch(1)])
        #expect(host.machine.isWanted("A", Epoch(1)))
        #expect(host.welcome(["A": Epoch(2)]) == [])
        #expect(!host.machine.isWanted("A", Epoch(1)))
        #expect(host.setUp("A", .withdrawn) == ["set A up under 2"])
    }

    @Test func `a welcome under a later epoch that comes when the module is set up counts`() {
        var host = HostMachineBench("A")
        host.serve("A")
        #expect(host.welcome(["A": Epoch(2)]) == ["hand A over"])
        host.on(.gone("A", failure: nil))
        #expect(host.on(.cleaned("A", Epoch(1))) == ["set A up under 2, held"])
    }

    @Test func `a set-up that cannot be done now is tried again after half a second, under the latest epoch`() {
        var host = HostMachineBench("A")
        host.welcome(["A": Epoch(1)])
        #expect(host.setUp("A", .delayed(why: "no room")) == ["A is recovering"])
        #expect(host.after(.milliseconds(499)) == [])
        #expect(host.machine.deadline(after: host.now) == .milliseconds(500))
        #expect(host.after(.milliseconds(1)) == ["set A up under 1"])
        #expect(host.after(.seconds(5)) == [])
        #expect(host.setUp("A", .delayed(why: "no room")) == [])
        #expect(host.welcome(["A": Epoch(2)]) == ["A is recovering", "set A up under 2"])
        #expect(host.setUp("A", .delayed(why: "no room")) == ["A is recovering"])
        #expect(host.after(.seconds(5)) == ["set A up under 2"])
    }

    @Test func `turns go on when a clean-up takes longer than its limit`() {
        var host = HostMachineBench("A", "B", cleanUpLimit: .seconds(2))
        host.serve("A")
        host.on(.handOver(module: "A", older: [:]))
        #expect(host.on(.gone("A", failure: nil)) == ["A is standby"])
        #expect(host.on(.standby(module: "B")) == [])
        #expect(host.after(.milliseconds(1999)) == [])
        #expect(host.after(.milliseconds(1)) == ["stand by for B", "B is standby"])
        #expect(host.on(.cleaned("A", Epoch(1))) == [])
    }

    @Test(arguments: [true, false]) func `a process that ends while it cleans up waits for that, up to its limit`(isDone: Bool) {
        var host = HostMachineBench("A", cleanUpLimit: .seconds(2))
        host.serve("A")
        host.on(.handOver(module: "A", older: [:]))
        #expect(host.on(.end(why: "")) == [])
        #expect(host.on(.gone("A", failure: nil)) == ["A is standby"])
        #expect(host.after(.seconds(1)) == [])
        #expect((isDone ? host.on(.cleaned("A", Epoch(1))) : host.after(.seconds(1))) == ["A left", "exit done"])
        #expect(host.on(.cleaned("A", Epoch(1))) == [])
    }

    @Test func `while suspects run no other module is opened, up to the patience`() {
        var host = HostMachineBench("A", "B", "C")
        host.bus.suspects = ["B"]
        host.welcome(["A": Epoch(1), "B": Epoch(1), "C": Epoch(1)])
        host.setUp("A")
        host.setUp("B", .done(hasSuspects: true))
        host.setUp("C", .done(hasSuspects: true))
        #expect(host.on(.proceed(module: "B")) == ["open B", "B is ready"])
        #expect(host.on(.proceed(module: "A")) == [] && host.on(.proceed(module: "C")) == [])
        #expect(host.after(.milliseconds(4999)) == [])
        #expect(host.after(.milliseconds(1)) == ["open C", "C is ready"])
        // Its suspects have ended at once.
        #expect(host.after(.zero) == ["open A", "A is ready"])
    }

    @Test func `of modules that are due at once one is opened while its suspects run`() {
        var host = HostMachineBench("A", "B")
        host.bus.isJoined = false
        host.welcome(["A": Epoch(1), "B": Epoch(1)])
        host.setUp("A", .done(hasSuspects: true))
        host.setUp("B")
        host.on(.proceed(module: "A"))
        host.on(.proceed(module: "B"))
        host.bus.isJoined = true
        #expect(host.on(.heard) == ["A is waiting", "open A", "A is ready", "B is waiting"])
        host.bus.suspects = ["A"]
        #expect(host.after(.milliseconds(100)) == [])
        host.bus.suspects = []
        #expect(host.after(.milliseconds(100)) == ["open B", "B is ready"])
    }

    @Test func `a module that joins does not wait for the factory of another one`() {
        var host = HostMachineBench("A", "B", "C")
        host.bus.isJoined = false
        host.welcome(["A": Epoch(1)])
        host.setUp("A")
        host.on(.proceed(module: "A"))
        host.welcome(["B": Epoch(1), "C": Epoch(1)])
        host.setUp("B")
        host.on(.proceed(module: "B"))
        host.bus.isJoined = true
        #expect(host.on(.heard) == ["A is waiting", "open A", "A is ready"])
        #expect(host.setUp("C") == ["C is recovering", "B is waiting", "open B", "B is ready", "C is waiting"])
    }

    @Test func `the end of an earlier clean-up does not end a later one`() {
        var host = HostMachineBench("A", cleanUpLimit: .seconds(1))
        host.serve("A")
        host.on(.serve(module: "A", epoch: Epoch(2)))
        host.on(.gone("A", failure: nil))
        #expect(host.after(.seconds(1)) == ["set A up under 2, held"])
        host.setUp("A")
        host.on(.serve(module: "A", epoch: Epoch(3)))
        host.on(.gone("A", failure: nil))
        #expect(host.on(.cleaned("A", Epoch(1))) == [])
        #expect(host.on(.cleaned("A", Epoch(2))) == ["set A up under 3, held"])
    }

    @Test func `questions right behind a hello are answered once`() {
        var host = HostMachineBench("A")
        host.now += .milliseconds(50)
        #expect(host.on(.introduce) == [] && host.on(.introduce) == [])
        #expect(host.machine.deadline(after: host.now) == .milliseconds(100))
        #expect(host.after(.milliseconds(50)) == ["hello A - starting"])
        #expect(host.after(.milliseconds(100)) == [])
    }

    @Test(arguments: [true, false]) func `a refusal is said again until the broker has noted it, or for its limit`(isNoted: Bool) {
        var host = HostMachineBench("A")
        host.welcome(["A": Epoch(1)])
        #expect(host.setUp("A", .failed(code: "host.module", message: "no")) == ["A is refused: host.module"])
        #expect(host.after(.seconds(1)) == ["A is refused: host.module"])
        if isNoted {
            #expect(host.on(.refusalNoted(module: "A")) == ["look again"])
        } else {
            #expect(host.after(.seconds(10)) == ["A is refused: host.module", "look again"])
        }
        #expect(host.on(.empty) == ["exit refused"])
    }

    @Test func `a successor whose set-up fails stands by again and stays`() {
        var host = HostMachineBench("A")
        host.welcome([:])
        host.on(.standby(module: "A"))
        host.on(.serve(module: "A", epoch: Epoch(2)))
        #expect(host.setUp("A", .failed(code: "host.journal", message: "no")) == ["A is refused: host.journal", "stand by for A"])
        #expect(host.machine.isAtRest)
    }

    @Test func `a plugin that is taken out and put back before its hello is loaded once`() {
        var host = HostMachineBench()
        host.welcome([:])
        #expect(host.on(.load(directory: "packed/B/1.0.0")) == ["load packed/B/1.0.0"])
        host.on(.drain(module: "B"))
        host.on(.load(directory: "packed/B/1.0.0"))
        let said = host.on(.loaded(directory: "packed/B/1.0.0", .loaded(HostMachineBench.image("B"))))
        #expect(said == ["hello B - starting", "B is draining", "B left", "load packed/B/1.0.0"])
        #expect(host.on(.loaded(directory: "packed/B/1.0.0", .loaded(HostMachineBench.image("B")))) == ["hello B - starting"])
    }
}
