package import Relux
package import ReluxWire

/// One request of a client (the CLI, a script in any language) to the broker; CBOR over a DEALER socket.
///
/// `id` is the client's choice and comes back in the answer; a repeated `emit` id is emitted once and gets the same answer again; one
/// that was refused may be asked for again.
package struct ClientRequest: Codable, Sendable {
    package enum Body: Codable, Sendable {
        case status
        case contracts
        /// Declares a host and its packed plugins; the cluster starts it when its phase is due.
        ///
        /// `takesServed`: of a module that was served from another directory, that one instead. `yes`: also one that breaks the contract
        /// of what was served last.
        case load(host: HostSpec, dryRun: Bool, takesServed: Bool? = nil, yes: Bool? = nil)
        /// How the cluster's file, given as its hosts, differs from what is registered. `isCarriedOut`: all of it was carried out, or is meant to
        /// differ; a later change of the file is told from it.
        case compare(file: [HostSpec], isCarriedOut: Bool)
        /// Gives a host the environment, executable and restart of this specification, and restarts it.
        case configure(host: HostSpec)
        case unload(module: ModuleID, yes: Bool)
        /// `yes`: also when other modules live in the same process.
        case restart(module: ModuleID, yes: Bool = false)
        /// Another version takes the module over in a process of its own; see `HostOrder.handOver`.
        case upgrade(module: ModuleID, directory: String, dryRun: Bool)
        /// The version before takes it over again.
        case rollback(module: ModuleID, dryRun: Bool)
        /// The same version takes it over in another host; nil for a process of its own.
        case move(module: ModuleID, to: HostID?, dryRun: Bool)
        /// Ends its membership now, without a drain: what pends on it is lost. `yes`: also when others import it.
        case evict(module: ModuleID, yes: Bool, dryRun: Bool)
        case whyNot(module: ModuleID)
        /// Marks a dead letter of the module as dealt with; its journal says so then.
        case resolve(module: ModuleID, effect: EffectID, resolution: DeadRecord.Resolution)
        /// Something with a schedule of the module; its process does it.
        case schedule(module: ModuleID, ScheduleOrder)
        /// The ingress: `payload` is the effect's CBOR. `deadlineMilliseconds` 0 means the default of 30 s; `contract` is the fingerprint of
        /// the contract that the payload was checked against, if it was. `everyone`: those that are known to be absent are waited for too.
        case emit(topic: Topic, payload: ByteString, deadlineMilliseconds: UInt64, label: String, contract: UInt64? = nil, everyone: Bool? = nil)
        case shutdown
    }
    package var id: String
    package var body: Body
    /// The client asks again when it is refused for a passing reason: such a refusal is no end, and is not counted.
    package var waits: Bool?
    package init(id: String, body: Body, waits: Bool? = nil) {
        self.id = id
        self.body = body
        self.waits = waits
    }
}

package struct ClientResponse: Codable, Sendable {
    package enum Body: Codable, Sendable {
        case status(ClusterStatus)
        /// Packed contracts by module, as CBOR of the manifest's `contract`.
        case contracts([ModuleID: ByteString])
        /// The steps that were done, or would be (`dryRun`), a line each.
        case done(lines: [String])
        case emitted(EmitAnswer)
        case differences([MembershipDifference])
        /// Each unmet requirement, a line each; notes are hints only.
        case whyNot(unmet: [String], notes: [String] = [])
        /// `passes`: what goes over by itself, as in "waiting for …", so that asking again is worth while; nil when somebody has to do
        /// something first.
        case refused(code: String, message: String, passes: String? = nil)
    }
    package var id: String
    package var body: Body
    package init(id: String, body: Body) {
        self.id = id
        self.body = body
    }
}

/// The merged result of an effect that came through the ingress.
package struct EmitAnswer: Codable, Sendable {
    package struct Outcome: Codable, Sendable {
        package var recipient: ModuleID
        /// `parked`: the recipient is known to be absent; the message says why.
        package var status: Relux.ActionResult.Status
        package var message: String
        /// CBOR of the handler's value, empty if it had none.
        package var value: ByteString
        package init(recipient: ModuleID, status: Relux.ActionResult.Status, message: String, value: ByteString) {
            self.recipient = recipient
            self.status = status
            self.message = message
            self.value = value
        }
    }
    package var effect: EffectID
    package var unhandled: Bool
    package var succeeded: Bool
    package var outcomes: [Outcome]
    package init(effect: EffectID, unhandled: Bool, succeeded: Bool, outcomes: [Outcome]) {
        self.effect = effect
        self.unhandled = unhandled
        self.succeeded = succeeded
        self.outcomes = outcomes
    }
}

package struct ClusterStatus: Codable, Sendable {
    package struct Module: Codable, Sendable {
        package var id: ModuleID
        package var version: String
        package var kind: String
        package var state: ModuleState
        package var host: HostID
        package var pid: Int32
        package var epoch: Epoch
        package var restarts: UInt64
        package var counters: ModuleCounters
        package var handles: [Topic]
        package var emits: [Topic]
        package var imports: [String]
        package var directory: String
        /// Milliseconds from the start of its process to ready; 0 until then.
        package var readyMilliseconds: UInt64
        /// A hand-over to another version or host that is under way, in words; nil if there is none.
        package var handover: String?
        /// The name of its packed build, with the digest; nil where the version tells it from the others that are remembered.
        package var build: String?
        package init(
            id: ModuleID, version: String, kind: String, state: ModuleState, host: HostID, pid: Int32, epoch: Epoch,
            restarts: UInt64, counters: ModuleCounters, handles: [Topic], emits: [Topic], imports: [String],
            directory: String, readyMilliseconds: UInt64, handover: String? = nil
        ) {
            self.id = id
            self.version = version
            self.kind = kind
            self.state = state
            self.host = host
            self.pid = pid
            self.epoch = epoch
            self.restarts = restarts
            self.counters = counters
            self.handles = handles
            self.emits = emits
            self.imports = imports
            self.directory = directory
            self.readyMilliseconds = readyMilliseconds
            self.handover = handover
        }
    }
    /// A module's start barrier.
    package struct Barrier: Codable, Sendable, Hashable {
        package var module: ModuleID
        package var isOpen: Bool
        /// Closed, and nothing that goes on by itself opens it.
        package var isStuck: Bool
        package var text: String
        /// The mode in which the module is and that no action knows.
        package var unknownMode: Relux.StartBarrier.UnknownMode?
        package init(module: ModuleID, isOpen: Bool, isStuck: Bool, text: String, unknownMode: Relux.StartBarrier.UnknownMode? = nil) {
            self.unknownMode = unknownMode
            self.module = module
            self.isOpen = isOpen
            self.isStuck = isStuck
            self.text = text
        }
    }
    package var brokerPid: Int32
    package var supervisorPid: Int32
    package var phase: BootPhase
    package var picture: ClusterPicture
    package var modules: [Module]
    /// Notes for `relux doctor`: topics without a counterpart, rejected claims, odd messages.
    package var notes: [ClusterNote]
    /// The barriers of the modules that have one, in start order.
    package var barriers: [Barrier]
    /// Dispatches that came through the ingress and were not accepted; nil when all were.
    package var refusedAtIngress: [RefusalCount]?
    /// Modules that were unloaded or evicted and of which the registry still knows what it served, sorted; nil for none.
    package var unloaded: [ModuleID]?
    /// Brokers that have died since the supervisor started.
    package var brokerDeaths: UInt64 = 0
    package init(
        brokerPid: Int32, supervisorPid: Int32, phase: BootPhase, picture: ClusterPicture, modules: [Module],
        notes: [ClusterNote], barriers: [Barrier] = [], refusedAtIngress: [RefusalCount]? = nil
    ) {
        self.refusedAtIngress = refusedAtIngress
        self.brokerPid = brokerPid
        self.supervisorPid = supervisorPid
        self.phase = phase
        self.picture = picture
        self.modules = modules
        self.notes = notes
        self.barriers = barriers
    }
}

/// Every message to the broker's ROUTER socket is one of these; every answer goes back to where it came from.
package enum BrokerInbound: Codable, Sendable {
    case host(HostMessage)
    case supervisor(SupervisorMessage)
    case client(ClientRequest)
}

package enum BrokerOutbound: Codable, Sendable {
    case host(HostOrder)
    case supervisor(SupervisorOrder)
    case client(ClientResponse)
}
