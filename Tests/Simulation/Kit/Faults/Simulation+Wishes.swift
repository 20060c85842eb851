import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxSupervisor
import ReluxTestKit
import ReluxWire

/// The wishes of people for the cluster, and the parts that it is made of.
extension Simulation {
    enum Wish {
        case unload(ModuleID)
        case load(ModuleID)
        /// A module of a process that has just died, or of one that lives; it comes back unless it is given up.
        case evict(ModuleID)
        case upgrade(ModuleID)
        case rollBack(ModuleID)
        case move(ModuleID, to: HostID?)
        case restart(ModuleID)
    }

    /// The cluster's file: it names all but one, which is loaded while the cluster runs and is a member by that alone.
    var declared: [HostSpec] {
        Self.hostIDs.map { id in
            let plugins = Self.names.filter { $0 != Self.unfiled && Self.home(of: $0) == id }.map { Self.directory(of: $0, 1) }
            return HostSpec(id: id, plugins: plugins, restart: id == temporary ? .temporary : .permanent)
        }
    }

    static let unfiled: ModuleID = "D"

    static func home(of name: ModuleID) -> HostID { hostIDs[names.firstIndex(of: name)! % hostIDs.count] }

    /// One for each phase.
    private static func kind(of name: ModuleID) -> ModuleDeclaration.Kind {
        switch name {
        case "A": .infrastructure
        case "E": .orchestrator
        default: .domain
        }
    }

    mutating func pack() {
        for (name, member) in members {
            for version in 1...2 {
                let declaration = ModuleDeclaration(
                    id: name, version: "\(version).0.0", kind: Self.kind(of: name), handles: member.handles, emits: member.emits)
                plugins[Self.directory(of: name, version)] = .manifest(declaration, imports: Self.imports(of: name), contract: ByteString([]))
            }
        }
    }

    mutating func ask(for wish: Wish) {
        guard let broker, frozen[broker.life].map({ $0 <= now }) ?? true else { return at(now + .milliseconds(100), .wish(wish)) }
        switch wish {
        case .unload(let name):
            members[name]!.farewells += 1
            request(.unload(module: name, yes: true))
            at(later(random.chance(of: 30) ? 5...100 : 50...1500), .wish(.load(name)))
        case .load(let name):
            if givenUp.contains(name) { return }
            // Where it was, or elsewhere: there it has to wait until its former process has let go of the journal.
            let host = random.chance(of: 40) ? random.pick(Self.hostIDs) : Self.home(of: name)
            request(.load(host: HostSpec(id: host, plugins: [Self.directory(of: name, 1)]), dryRun: false))
        case .evict(let name):
            if givenUp.isEmpty, name != Self.provider, random.chance(of: 40) { givenUp.insert(name) }
            members[name]!.farewells += 1
            request(.evict(module: name, yes: true, dryRun: false))
            at(later(random.chance(of: 30) ? 5...100 : 500...3000), .wish(.load(name)))
        case .upgrade(let name):
            tally.handOvers += 1
            let first = Self.directory(of: name, 1)
            let present = broker.registry.modules[name]?.directory
            request(.upgrade(module: name, directory: present == first ? Self.directory(of: name, 2) : first, dryRun: false))
        case .rollBack(let name):
            tally.handOvers += 1
            request(.rollback(module: name, dryRun: false))
        case .move(let name, let host):
            tally.handOvers += 1
            request(.move(module: name, to: host, dryRun: false))
        case .restart(let name): request(.restart(module: name, yes: true))
        }
    }

    private mutating func request(_ body: ClientRequest.Body) {
        guard let broker else { return }
        requests += 1
        let request = ClientRequest(id: "request-\(requests)", body: body)
        at(later(0...5), .toBroker(broker.life, .client(Self.connection(of: 0), request, plugins: plugins)))
    }

    /// Loads each module that is wanted and not there; a wish may have died with the broker. Starts a temporary process anew that has ended.
    mutating func care() {
        if isCalm, let broker {
            let resting = broker.registry.hosts.values.filter { $0.spec.restart == .temporary && $0.process == .ended }
            for name in resting.compactMap(\.modules.first).sorted() { ask(for: .restart(name)) }
            for name in Self.names where broker.registry.modules[name] == nil && !givenUp.contains(name) { ask(for: .load(name)) }
        }
        at(now + .seconds(1), .care)
    }

    /// Modules that nobody wants any more.
    var gone: Set<ModuleID> { givenUp.filter { broker?.registry.modules[$0] == nil } }
}
