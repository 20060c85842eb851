extension ErrorCode {
    package static let layering = [
        models, reluxInt, serviceInt, serviceContents, serviceImpl, reluxImpl, testSupport, kit, userInterface, implementation, serviceOfAnother,
        domainToDomain, infrastructureToDomain, toOrchestrator, orchestratorToOrchestrator, coreToPlugin, split,
    ]
    package static let linking = [plainTarget, product, productType]

    // MARK: Inside a domain

    package static let models = ErrorCode(
        "layer.models",
        why: "models are the words of a domain: they depend on nothing, so that a change of anything else leaves them built",
        remedy: "move what needs more into the layer that needs it, and keep plain values here")
    package static let reluxInt = ErrorCode(
        "layer.reluxInt", why: "the interface is what others link: with more than models and Relux in it they would link that too",
        remedy: "keep actions, effects and protocols here; what does the work belongs into ReluxImpl")
    package static let serviceInt = ErrorCode(
        "layer.serviceInt", why: "a service's interface is a seam for mocks, so it knows models only",
        remedy: "let the protocol speak in models; what needs more belongs into ServiceImpl")
    package static let serviceContents = ErrorCode(
        "layer.serviceProtocols", why: "a service's interface has protocols only: a type in it would be linked by those who bring their own",
        remedy: "move values to Models and what does the work to ServiceImpl")
    package static let serviceImpl = ErrorCode(
        "layer.serviceImpl",
        why: "a service does the work and knows no actions, effects or user interface, so that it can be swapped and tested alone",
        remedy: "return models or throw the domain's failure, and let the flow in ReluxImpl dispatch")
    package static let reluxImpl = ErrorCode(
        "layer.reluxImpl", why: "state and flows do not know who shows them", remedy: "let the user interface observe the state's snapshots"
    )
    package static let testSupport = ErrorCode(
        "layer.testSupport", why: "mocks stand in for implementations, so that a test with mocks never builds those",
        remedy: "implement the interface's protocols here without the implementation")
    package static let kit = ErrorCode(
        "layer.kit",
        why: "a kit is a facade for clients, by which they get models and interface at one import and never anything that works",
        remedy: "re-export Models, ReluxInt and Relux in it and nothing else; the domain's own layers import those themselves")
    package static let userInterface = ErrorCode(
        "layer.ui", why: "views know the interface and its models, so that implementations can be swapped beneath them",
        remedy: "import ReluxInt and Models only, and get the rest through a relay or an action")

    // MARK: Between modules; the loader judges built libraries by rules of the same names

    package static let implementation = ErrorCode(
        "layer.implToImpl", why: "nobody links another's implementation, so that each can be upgraded alone",
        remedy: "import its ReluxInt instead")
    package static let serviceOfAnother = ErrorCode(
        "layer.serviceInterface", why: "a module's services are its own affair", remedy: "ask by an effect of its ReluxInt instead")
    package static let domainToDomain = ErrorCode(
        "layer.domainToDomain", why: "domains do not know each other",
        remedy: "tell of it by an effect of your own interface, and let an orchestrator that imports both interfaces answer it")
    package static let infrastructureToDomain = ErrorCode(
        "layer.infrastructureToDomain", why: "infrastructure serves every domain and so knows none",
        remedy: "let the domain call the infrastructure, or connect them by an orchestrator")
    package static let toOrchestrator = ErrorCode(
        "layer.toOrchestrator",
        why: "control comes from orchestrators and user interfaces and never goes to them, so that one can be added and removed at will",
        remedy: "emit an effect of your own interface and let the other one hear it")
    package static let orchestratorToOrchestrator = ErrorCode(
        "layer.orchestratorToOrchestrator", why: "orchestrators listen independently",
        remedy: "put what both need into a domain, or merge the two")
    package static let coreToPlugin = ErrorCode(
        "layer.coreToPlugin", why: "the core runs modules that it does not know", remedy: "move the code into the plugin, or into a test")

    package static let split = ErrorCode(
        "layer.split",
        why: "a domain in two packages is so that whoever depends on its interfaces never builds what does the work",
        remedy: "keep ServiceImpl and ReluxImpl in <Domain>Implementations, which depends on <Domain>Interfaces and never the other way")

    // MARK: Linking

    package static let plainTarget = ErrorCode(
        "link.plainTarget",
        why: "a target is linked statically: its types are copied into each library that does so, and casts between copies are false",
        remedy: "depend on it as .product(name: …, package: \"<Package>-Self\") through .package(name: \"<Package>-Self\", path: \".\")")
    package static let product = ErrorCode(
        "link.product", why: "a layer without a library of its own is copied into each that links it; in two libraries it is there twice",
        remedy: "give it one product of its own name: .library(name: \"…\", type: .dynamic, targets: [\"…\"])")
    package static let productType = ErrorCode(
        "link.productType",
        why: "a layer that several libraries link must be one image in the process; test support must be in none that runs",
        remedy: "say type: .dynamic for every layer and type: .static for TestSupport")
}
