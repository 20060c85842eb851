extension ErrorCode {
    /// The codes of the broker about modules that want to join, leave or be replaced.
    package static let membership = [
        member("reserved-id", "the module's id is that of the broker's own node", "give the module another id"),
        member("module-id-taken", "another process, or another directory, runs a module of this id", "unload the first, upgrade it, or give the second another id"),
        member("import-cycle", "modules import each other's interfaces in a circle, so none could start first", "move what they share into infrastructure, or connect them in an orchestrator"),
        member("snapshot-provided-twice", "two modules provide one snapshot; a snapshot has one owner", "rename one of the two types"),
        member("durability-too-low", "a module emits a topic as less durable than a recipient was built for", "build both with one interface; upgrade those that emit first"),
        member("declaration-differs", "the process declares something else than the packed plugin", "pack the plugin again, and restart it"),
        member("unusable-topic", "the name of an effect or a snapshot cannot travel", "rename the type: the message has the grammar"),
        member("stale-epoch", "another life of the module has begun, or no epoch is left", "nothing, or another id for the module"),
        member("host-name-taken", "the host's name is another one's", "give the host another name"),
        member("bad-host-name", "the name cannot be that of a host", "take one of the grammar in the message"),
        member("being-removed", "the module, or what it runs in, is on its way out", "wait until it has gone: relux status"),
        member("nothing-to-load", "the host has no module that is not here already", "name a plugin that is not loaded"),
        member("served-version-gone", "the version that was served last is not where it was", "bring its directory back, or name another version"),
        member("other-runtime", "the version that was served last was built for another runtime", "load what was packed last: the message has the command"),
        member("missing-import", "what the module imports is not there, so it would not be ready", "load what it imports first"),
        member("contract-broken", "the new version's interface breaks what others were built for", "keep the old cases, or upgrade those first", upgrading),
        member("no-way-back", "the version cannot read what its successor has stored", "give the state a `migrate`, or an `older` for the way back", upgrading),
        member("other-module", "the directory holds another module than the one that is upgraded", "name a version of this module", upgrading),
        member("own-executable", "the module is linked into its host's executable, and has no packed version", "pack it, or build another executable and restart", upgrading),
        member("handing-over", "the module is handed over just now", "wait for its end, or end it: relux module evict MODULE", upgrading),
        member("hand-over-failed", "the successor did not take the module over; the version before goes on", "read the reason in the message, and try again", upgrading),
        member("host-not-running", "the host that is to take the module does not run", "try again when it runs, or name another", upgrading),
        member("shutting-down", "the cluster, or the host, is being taken down", "start it again: relux up"),
    ]

    /// The codes of the broker to those who ask it for something.
    package static let clients = [
        client("unknown-module", "there is no module of this id", "relux status shows those that are there"),
        client("unknown-host", "there is no host of this name", "relux status shows those that are there"),
        client("is-imported", "other modules import the one that is to go, and would wait for it", "unload those first, or say --yes"),
        client("restarts-others", "a restart of the module restarts others of its host", "say --yes to restart them all"),
        client("no-supervisor", "no supervisor of this cluster starts that process", "start and stop it where it was started"),
        client("no-process", "the module has no process that could do it now", "try again when relux status says ready"),
        client("no-schedule", "the module has no schedule of that name", "relux schedule ls"),
        client("not-accepted", "the effect of the schedule was not accepted", "the message says why; relux doctor names what is full"),
        client("no-letter", "the module has no open dead letter of that effect", "relux dlq ls --all"),
        client("barrier-closed", "a module keeps the start from being over, so its users' effects wait", "relux status says what it waits for"),
        client("ingress-closed", "the cluster does not take effects from outside yet, or not any more", "try again when relux status says open"),
        client("ingress-full", "too many bytes of effects from outside are on their way", "wait for answers, and ask again"),
        client("too-large", "an effect, an id or an answer is over its limit", "send a reference instead"),
        client("too-much-unread", "the client leaves its answers unread", "read, and ask again"),
        client("too-much-asked", "the client has asked more than it waited for", "wait for answers, and ask again"),
        client("answer-forgotten", "the request has ended, and its answer is not kept any more", "its recipients' journals have it: relux journal"),
        client("broker.message", "the broker could not decode the message", "speak its protocol: a client of this build does"),
        client("ingress.overloaded", "the effect was not accepted: too much is on its way", "try again later"),
        client("ingress.notAccepted", "the effect was not accepted; the message has the reason", "mend what it names"),
    ]

    package static let hosts = [
        host("host.startBarrier", "the module has a start barrier and does not declare it, or the other way round", "give it a `startBarrier` and `static var startEffects`, or neither"),
        host("host.declaration", "an instance of the module does other than its type says", "say it in the type's static property alone"),
        host("host.services", "the key `services:` says what the module does not know", "leave it out for the real services, or say `mock`"),
        host("host.module", "the module could not be set up; the message has its own error", "mend it, and: relux module restart MODULE"),
        host("host.journal", "the module's journal could not be opened", "the message has the file and the remedy; relux doctor looks at all"),
        host("host.noWayBack", "the module was given up, and could not be handed over whole", "relux module why-not MODULE"),
    ]

    private static let upgrading = "Sources/ReluxPlugin/ReluxPlugin.docc/Upgrading.md"

    private static func member(
        _ id: String, _ why: String, _ remedy: String, _ page: String = "Sources/ReluxRegistry/ReluxRegistry.docc/Membership.md"
    ) -> ErrorCode { ErrorCode(id, why: why, remedy: remedy, page: page) }

    private static func client(_ id: String, _ why: String, _ remedy: String) -> ErrorCode {
        ErrorCode(id, why: why, remedy: remedy, page: "Sources/ReluxCLI/ReluxCLI.docc/Answers.md")
    }

    private static func host(_ id: String, _ why: String, _ remedy: String) -> ErrorCode {
        ErrorCode(id, why: why, remedy: remedy, page: "Sources/ReluxHost/ReluxHost.docc/Stages.md")
    }
}
