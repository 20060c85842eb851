extension ErrorCode {
    /// The codes of a result about a recipient, or about a dispatch that was refused.
    package static let effects = [
        effect("relux.unanswered", "the recipient had not settled the effect when the deadline passed; the effect stays on its way", "look where it is: relux tap --settlements"),
        effect("relux.parked", "the recipient is known to be absent; the effect is kept for it", "bring it back; who needs its answer asks for Awaiting.everyone"),
        effect("relux.lost", "the recipient went away before it settled the effect, or it was transient and nobody was there", "make it durable, or say it again"),
        effect("relux.deadLettered", "the effect is not handled any more: it cannot be decoded, or its handler died with it too often", "relux dlq show EFFECT"),
        effect("relux.resultLost", "the recipient has settled the effect, and its answer was lost with the power", "look at what the recipient has done"),
        effect("relux.cycle", "a serial module would wait for itself", "answer without awaiting, or make it concurrent"),
        effect("relux.hops", "the chain of causes is too long: modules answer each other, or one answers itself", "end the chain; a delayed, unawaited effect begins a new one"),
        effect("relux.undeclared", "the module does not declare that it emits this effect, so nobody gets it", "add the type to `emits`, and pack it again"),
        effect("relux.unusableTopic", "the effect's type has a name that cannot travel", "rename the type: the message has the grammar"),
        effect("relux.coding", "the effect or its answer cannot be encoded or decoded", "the message has the field"),
        effect("relux.overloaded", "too much is unsettled, or the disk is full; the effect was not accepted", "try again later; relux doctor says which"),
        effect("relux.cancelled", "the caller was cancelled while the delay ran; nothing was sent", "nothing"),
        effect("relux.noNode", "the dispatch stands outside a handler, where there is no node", "use the module's `dispatcher`, or `relux.dispatcher`"),
        effect("relux.closed", "the module is not registered any more; nothing was sent", "dispatch in the name of a module that is there"),
        effect("relux.failed", "a flow answered .failure and gave no reason", "answer .failure(error)"),
        effect("relux.once", "a name of `once` is too long, or is used while its own value is made", "use a shorter, or another name"),
        effect("relux.schedule", "the module has no schedule of that name", "relux schedule ls"),
        effect("relux.noHandler", "`once` stands outside a saga's `apply`", "call it there, before that returns"),
        effect("relux.notKept", "the journal did not take the value of `once`", "let the effect fail, or go on without it"),
        effect("relux.migration", "there is no way from the stored version of a state to this build's, or back", "write `migrate`, or `older`"),
        effect("relux.sealing", "a secret could not be sealed or opened", "the cluster's key has to be the one that sealed it"),
        effect("orchestration.cancelled", "the action's evaluation was cancelled, or its owner has begun anew", "evaluate again"),
        effect("orchestration.unknownAction", "the module brings no action of that name", "register it, or ask for one that it has"),
    ]

    package static let containers = [
        container("ioc.notRegistered", "the type has no factory", "register one before resolving it"),
        container("ioc.alreadyRegistered", "the type has a factory, which it keeps", "pass withReplacement: true to change it"),
        container("ioc.asynchronousOnly", "the factory awaits", "use getAsync or resolveAsync"),
        container("ioc.mainActorOnly", "the value is made on the main actor", "resolve it there, or use getAsync or resolveAsync"),
        container("ioc.cycle", "factories need each other in a circle", "resolve one of them lazily"),
        container("ioc.factoryFailed", "the factory threw", "the message has its error; resolve again"),
    ]

    private static func effect(_ id: String, _ why: String, _ remedy: String) -> ErrorCode {
        ErrorCode(id, why: why, remedy: remedy, page: "Sources/Relux/Relux.docc/Dispatching.md")
    }

    private static func container(_ id: String, _ why: String, _ remedy: String) -> ErrorCode {
        ErrorCode(id, why: why, remedy: remedy, page: "Sources/ReluxIoC/ReluxIoC.docc/Composition.md")
    }
}
