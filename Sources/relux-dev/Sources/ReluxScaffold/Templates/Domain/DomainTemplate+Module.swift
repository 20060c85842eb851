extension DomainTemplate {
    static let module: [(path: String, text: String)] = [
        (
            "Sources/__D__ReluxImpl/__D__+Plugin.swift",
            ##"""
            internal import __D__Models
            internal import ReluxPlugin

            @c(relux_plugin_main)
            public func pluginMain() -> UnsafeMutableRawPointer { exportModule(__D__.Module.self) }
            """##
        ),
        (
            "Sources/__D__ReluxImpl/__D__+Module.swift",
            ##"""
            internal import ErrorHandlingModels
            internal import ErrorHandlingReluxInt
            internal import NavigationModels
            internal import NavigationReluxInt
            public import __D__Models
            public import __D__ReluxInt
            internal import __D__ServiceImpl
            internal import __D__ServiceInt
            public import Relux
            internal import ReluxIoC

            extension __D__ {
                @MainActor
                public struct Module: Relux.Plugin {
                    public nonisolated static let version = "1.0.0"
                    public nonisolated static var handles: [any Relux.Effect.Type]? { [__D__.Business.Effect.self] }
                    public nonisolated static var emits: [any Relux.Effect.Type]? {
                        [__D__.Business.Effect.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self]
                    }
                    public nonisolated static var provides: [any Relux.SharedSnapshot.Type] { [__D__.Business.Snapshot.self] }

                    private let ioc: IoC

                    public let states: [any Relux.AnyState]
                    public let sagas: [any Relux.Saga]
                    public let relays: [any Relux.StateRelaying]

                    /// Routes through Navigation. The files lie where the environment says.
                    ///
                    /// - Throws: what the container could not resolve.
                    public init() throws { try self.init(directory: Self.stateDirectory) }
                    public init(directory: String) throws { try self.init(router: RouterAdapter(), directory: directory) }

                    /// - Throws: what the container could not resolve; without a router, that.
                    public init(router: (any __D__.Business.IRouter)?, directory: String? = nil) throws {
                        try self.init(ioc: Self.buildIoC(router: router, directory: directory ?? Self.stateDirectory))
                    }

                    init(ioc: IoC) throws {
                        self.ioc = ioc
                        let state = try ioc.resolve((any __D__.Business.IState).self)
                        self.states = [state]
                        self.sagas = [try ioc.resolve((any __D__.Business.IFlow).self)]
                        self.relays = [Relux.UI.StateRelay(state)]
                    }
                }
            }

            extension __D__.Module {
                static func buildIoC(router: (any __D__.Business.IRouter)?, directory: String) -> IoC {
                    let ioc = IoC(logger: IoC.Logger(enabled: false))

                    if let router { ioc.register((any __D__.Business.IRouter).self, lifecycle: .container) { router } }
                    ioc.register((any __D__.Business.IState).self, lifecycle: .container) { __D__.Business.State() }
                    ioc.register(
                        (any __D__.Business.IService).self,
                        real: { __D__.Business.Service(directory: directory) },
                        mock: { __D__.Business.ServiceInMemory() })
                    ioc.register((any __D__.Business.IFlow).self, lifecycle: .container) {
                        __D__.Business.Flow(svc: try ioc.resolve(), router: try ioc.resolve())
                    }

                    return ioc
                }
            }
            """##
        ),
        (
            "Sources/__D__ReluxImpl/__D__+RouterAdapter.swift",
            ##"""
            internal import NavigationModels
            internal import NavigationReluxInt
            internal import __D__Models
            internal import __D__ReluxInt
            internal import Relux

            extension __D__ {
                /// __D__'s pages as effects of Navigation, so that the way there leads across processes.
                struct RouterAdapter: __D__.Business.IRouter {
                    func set__D__Page(_ page: __D__.UI.Model.Page) -> any Relux.Action {
                        Navigation.Business.Effect.set(pages: [.init(domain: "app", name: "main"), Self.page(page)])
                    }

                    private static func page(_ page: __D__.UI.Model.Page) -> Navigation.Business.Model.Page {
                        switch page {
                        case .list: .init(domain: "__d__", name: "list")
                        }
                    }
                }
            }
            """##
        ),
    ]
}
