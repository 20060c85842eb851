extension OrchestratorTemplate {
    static let files: [(path: String, text: String)] = [
        (
            "Package.swift",
            ##"""
            // swift-tools-version: 6.2
            import PackageDescription

            let strict: [SwiftSetting] = [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]

            // `relux generate` writes the dependencies of targets, from what they import.
            let package = Package(
                name: "__O__",
                products: [
                    .library(name: "__O__", type: .dynamic, targets: ["__O__Impl"]),
                ],
                dependencies: [
                    .package(name: "__O__-Self", path: "."),
                    .package(name: "relux-cluster", path: "__CORE__"),
                    // Domain interfaces only.
            __PACKAGES__
                ],
                targets: [
                    .target(
                        name: "__O__Impl",
                        dependencies: [
                            .product(name: "Relux", package: "relux-cluster"),
            __PRODUCTS__
                        ],
                        exclude: ["__O__.contract.json"],
                        swiftSettings: strict
                    ),
                    .testTarget(
                        name: "__O__Tests",
                        dependencies: [
                            .product(name: "__O__", package: "__O__-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "ReluxTestKit", package: "relux-cluster"),
                            .product(name: "ReluxTestTraits", package: "relux-cluster"),
            __PRODUCTS__
                        ],
                        swiftSettings: strict
                    ),
                ]
            )
            """##
        ),
        (
            "Sources/__O__Impl/__O__.swift",
            ##"""
            /// What happens across __DOMAINS__, which do not know each other.
            public enum __O__ {}
            """##
        ),
        (
            "Sources/__O__Impl/__O__.contract.json",
            ##"""
            {
              "snapshots" : [

              ],
              "topics" : [

              ]
            }
            """##
        ),
        (
            "Sources/__O__Impl/__O__+Module.swift",
            ##"""
            __IMPORTS__
            public import Relux

            extension __O__ {
                public struct Module: Relux.Plugin {
                    public static let version = "1.0.0"
                    public static var kind: Relux.ModuleKind { .orchestrator }
                    public static var handles: [any Relux.Effect.Type]? {
            __TYPES__
                    }
                    public static var emits: [any Relux.Effect.Type]? {
            __TYPES__
                    }

                    public let states: [any Relux.AnyState] = []  // Always empty
                    public let sagas: [any Relux.Saga]

                    public init() {
                        self.sagas = [Saga()]
                    }
                }
            }
            """##
        ),
        (
            "Sources/__O__Impl/__O__+Plugin.swift",
            ##"""
            internal import ReluxPlugin

            @c(relux_plugin_main)
            public func pluginMain() -> UnsafeMutableRawPointer { exportModule(__O__.Module.self) }
            """##
        ),
        (
            "Sources/__O__Impl/__O__+Saga.swift",
            ##"""
            __IMPORTS__
            public import Relux

            extension __O__ {
                /// Answers what happens in one domain with effects for others.
                public actor Saga: Relux.Saga {
                    public init() {}

                    public func apply(_ effect: any Relux.Effect) async {
            __CALLS__
                    }
                }
            }
            """##
        ),
        (
            "Tests/__O__Tests/__O__Tests.swift",
            ##"""
            __TEST_IMPORTS__
            import Relux
            import ReluxTestKit
            import ReluxTestTraits
            import Testing
            import __O__Impl

            @Suite(.noRefusals) struct __O__Tests {
                let recorder = RecordingLogger()
                let node: Relux

                init() async {
                    node = await Relux(logger: recorder).register { __O__.Module() }
                }

                /// What the orchestrator answers to an effect, sorted, for a concurrent batch ends in any order.
                func answer(to effect: any Relux.Effect) async -> [String] {
                    await node.dispatcher.actions { effect }
                    return recorder.entries.filter { $0.module == "__O__" }.map(\.description).sorted()
                }

                @Test func `what is no domain's effect is left alone`() async {
                    #expect(await answer(to: Foreign.happened).isEmpty)
                }

                @Test func `it has no state and no flow`() {
                    let module = __O__.Module()
                    #expect(module.moduleID == "__O__")
                    #expect(module.states.isEmpty && module.relays.isEmpty)
                    #expect(module.sagas.allSatisfy { !($0 is any Relux.Flow) })
                }
            }

            private enum Foreign: Relux.Effect {
                case happened
            }
            """##
        ),
    ]
}
