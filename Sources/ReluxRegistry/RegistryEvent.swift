package import Relux
package import ReluxControl
package import ReluxPlugin
package import ReluxWire

/// A fact of the cluster that the broker emits as an effect of its built-in interface.
package typealias ClusterFact = Cluster.Business.Effect

extension Registry {
    /// An event as the broker's loop saw it.
    package enum Event: Sendable {
        case host(ConnectionID, HostMessage)
        /// `plugins` by directory: what the loop read for ``Registry/directories(in:)-(SupervisorMessage)`` before.
        case supervisor(ConnectionID, SupervisorMessage, plugins: [String: PluginFacts])
        case client(ConnectionID, ClientRequest, plugins: [String: PluginFacts])
        /// The socket lost this peer, or its heartbeat.
        case silent(ConnectionID)
        /// Processes of this machine have said that they live, and no more.
        case heartbeats([ConnectionID])
        /// The built-in node has the outcome of an ``Action/emit(request:topic:payload:deadlineMilliseconds:label:)``.
        case answered(request: String, ClientResponse.Body)
        /// The courier will remove the journal of a module that is none any more: what is remembered of it goes first.
        case retired(ModuleID)
        /// Effects that the built-in node had accepted and a dead instance had not settled, as a host would say it.
        case ownNews(HostMessage)
        /// Something came in that is no message, and why it could not be decoded.
        case malformed(ConnectionID, why: String)
        /// Time passed; expected about ten times a second.
        case tick
    }

    /// An order to the loop, which carries them out one after the other: a `persist` must be on the disk before the actions after it.
    package enum Action: Sendable {
        /// Nothing that stands behind it may happen before it is on the disk.
        case persist(RegistrySnapshot)
        /// One order, encoded once, to each of these connections.
        case toHosts([ConnectionID], HostOrder)
        case toSupervisor(ConnectionID, SupervisorOrder)
        case answer(ConnectionID, ClientResponse)
        case publish(ClusterFact)
        /// Emit through the built-in node; the outcome comes back as ``Event/answered(request:_:)``.
        case emit(
            request: String, topic: Topic, payload: ByteString, deadlineMilliseconds: UInt64, label: String, contract: UInt64,
            awaiting: Relux.Awaiting)
        /// An effect that a client wanted to emit was not accepted; the built-in node counts, shows and journals that.
        case refused(Relux.RefusedDispatch)
    }

    /// The plugin directories whose facts must come with the message.
    package func directories(in message: SupervisorMessage) -> [String] {
        guard case .hello(let hello) = message else { return [] }
        return directories(toCompareWith: hello.declared)
    }

    /// The plugin directories that a comparison with the cluster's file looks into.
    package func directories(toCompareWith file: [HostSpec]) -> [String] {
        let present = Set(modules.values.map(\.directory) + served.values.map(\.directory)).subtracting([""])
        // A module that the file does not name may have been packed again since it was loaded.
        let packed = present.compactMap(PluginFacts.current)
        return Set(file.flatMap(\.plugins) + present + packed + present.flatMap { relocations(of: $0, beside: file) }).sorted()
    }

    /// The plugin directories whose facts must come with the request.
    package func directories(in request: ClientRequest) -> [String] {
        if let wish = request.body.handover?.wish { return directories(for: wish) }
        switch request.body {
        case .load(let host, _, _, _):
            // Any module's package may lie there: the served versions of modules that are not there are compared with it.
            let named = host.plugins.compactMap(PluginFacts.moduleName)
            let live = named.compactMap { modules[$0]?.directory }.filter { !$0.isEmpty }
            return host.plugins + live + served.filter { modules[$0.key]?.state.phase.isOver != false }.map(\.value.directory)
        case .compare(let file, _): return directories(toCompareWith: file)
        default: return []
        }
    }

    /// The plugin directories that the registry knows: those that are served now first, then those that were.
    var knownDirectories: [String] {
        (modules.values.map(\.directory) + served.values.flatMap { [$0.directory] + $0.earlier.map(\.directory) })
            .filter { !$0.isEmpty }
    }
}
