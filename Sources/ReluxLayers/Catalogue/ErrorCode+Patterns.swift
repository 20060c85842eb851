extension ErrorCode {
    package static let orchestration = [orchestratorState, orchestratorResult, orchestratorOrder, declaration, undeclaredEmission]
    package static let state = [notificationCenter, globalState, singleton, heldClosure, parentState, delegateAnswer]

    package static let orchestratorState = ErrorCode(
        "orchestrator.state",
        why: "orchestrators coordinate, domains own state: an orchestrator without state can be restarted and replaced at any time",
        remedy: "put the state into a domain, and let whoever dispatches put what is needed into the effect")
    package static let orchestratorResult = ErrorCode(
        "orchestrator.result", why: "an orchestrator causes several effects, so there is no single result to return",
        remedy: "conform to Relux.Saga instead of Relux.Flow, and let the domains report their own success or failure")
    package static let orchestratorOrder = ErrorCode(
        "orchestrator.order", why: "an orchestrator hears only what is said after it and its domains are there",
        remedy: "register orchestrators last: infrastructure, domains, orchestrators")

    package static let declaration = ErrorCode(
        "module.declaration",
        why: "loader and broker judge a module's libraries by its id, and start it in the phase of its kind: orchestrators after the domains",
        remedy: "declare id and kind as the package is named: the domain's name as .domain or .infrastructure, …Orchestration as .orchestrator")

    package static let undeclaredEmission = ErrorCode(
        "module.emits",
        why: "recipients, connections and contracts follow from what a module declares: an effect that it does not declare is refused, and nobody gets it",
        remedy: "add the effect's type to `emits`, in the module and in its declaration")

    package static let notificationCenter = ErrorCode(
        "state.notificationCenter",
        why: "what goes through a notification centre is in no action: nobody sees it in a log, a test or the tap",
        remedy: "a child sends .send(.delegate(…)); a module dispatches an effect of its interface")
    package static let globalState = ErrorCode(
        "state.global", why: "global state is shared behind the back of the data flow, and once per process instead of once per module",
        remedy: "keep it in a module's state or behind an actor that the module's container makes")
    package static let singleton = ErrorCode(
        "state.singleton", why: "a singleton is global state with a name: two nodes in one process cannot have their own",
        remedy: "make it in the module's container and pass it on; a child tells its parent by .send(.delegate(…))")
    package static let heldClosure = ErrorCode(
        "state.closure",
        why: "a closure that a generic type holds as its value is wrapped once more at each access by `inout`: each call is slower and deeper, until"
            + " the stack overflows after some hours",
        remedy: "make the closure a property of a struct, and the struct the value: Mutex(Hook()) with struct Hook { var body: (() -> Void)? }")
    package static let parentState = ErrorCode(
        "state.parent", why: "a child that changes its parent's state cannot be used or tested without that parent",
        remedy: "return .send(.delegate(…)) and let the parent change its own state")
    package static let delegateAnswer = ErrorCode(
        "delegate.answer", why: "delegate actions are for the parent; a child that acts on its own acts twice",
        remedy: "answer .delegate with .none; do the work where the delegate is sent, or in the parent")
}
