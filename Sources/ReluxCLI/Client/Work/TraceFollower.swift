import ReluxControl
import ReluxTap
import ReluxWire
import ReluxZeroMQ

/// Listens before an effect is emitted, and collects what follows from it until all is quiet.
struct TraceFollower: ~Copyable {
    /// A tap's subscription has no answer: this long it may take to reach the publishers.
    private static let joinMilliseconds = 250
    /// A silence of this length, with nothing unsettled, ends the trace.
    private static let quietMilliseconds = 150
    /// Effects that are unsettled after this long are shown as they are.
    private static let limit: Duration = .seconds(5)

    private var session: TapSession
    private var tree: CausalTree

    init(_ picture: ClusterPicture, _ order: FieldOrder) throws(CLIError) {
        tree = CausalTree(Absentees(picture))
        do throws(TapError) { session = try Self.joined(picture.hosts, order) } catch {
            throw CLIError(.failed, "tap.socket", error.message)
        }
    }

    private static func joined(_ hosts: [ClusterPicture.Host], _ order: FieldOrder) throws(TapError) -> TapSession {
        var session = try TapSession(context: try context(), patterns: [.everything], settlements: true)
        session.order = order
        try session.follow(hosts)
        // The events that come by in the meantime are of no interest, but they are read.
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(joinMilliseconds)
        while clock.now < end {
            _ = try session.receive(milliseconds: max(1, Int(clock.now.duration(to: end) / .milliseconds(1))))
        }
        return session
    }

    /// Everything that descends from `root`.
    mutating func tree(of root: EffectID) throws(CLIError) -> CausalTree {
        let clock = ContinuousClock()
        let end = clock.now + Self.limit
        do throws(TapError) {
            while clock.now < end {
                let events = try session.receive(milliseconds: Self.quietMilliseconds)
                for event in events { tree.add(event) }
                if events.isEmpty, tree.unsettled(of: root) == 0 { break }
            }
        } catch {
            throw CLIError(.failed, "tap.socket", error.message)
        }
        return tree
    }

    private static func context() throws(TapError) -> ZeroMQContext {
        do { return try ZeroMQContext() } catch { throw TapError(.socket, "no ZeroMQ context: \(error)") }
    }
}
