/// The files of a domain's user interface, with `__D__` for the domain's name, `__d__` for that in lower case, and marks for what follows from
/// the domain's interface. What is the same for every domain is a test's business: it compares with Plugins/NotesUI.
enum UITemplate {
    static let sources: [(path: String, text: String)] = [
        (
            "Package.swift",
            ##"""
            // swift-tools-version: 6.2
            import PackageDescription

            // What people see of __D__. It knows the interface and the models of __D__ and nothing behind them__CHECK__
            let strict: [SwiftSetting] = [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]

            // `relux generate` writes the dependencies of targets, from what they import.
            let package = Package(
                name: "__D__UI",
                products: [
                    .library(name: "__D__UIAPI", type: .dynamic, targets: ["__D__UIAPI"]),
                    .library(name: "__D__UI", type: .dynamic, targets: ["__D__UI"]),
                    .executable(name: "__d__-ui", targets: ["__D__UIMain"]),
                ],
                dependencies: [
                    .package(name: "__D__UI-Self", path: "."),
                    .package(name: "relux-cluster", path: "__CORE__"),
                    .package(path: "__PATH__"),
                ],
                targets: [
                    .target(
                        name: "__D__UIAPI",
                        dependencies: [
                            .product(name: "__D__ReluxInt", package: "__PACKAGE__"),
                        ],
                        swiftSettings: strict
                    ),
                    .target(
                        name: "__D__UI",
                        dependencies: [
                            .product(name: "__D__UIAPI", package: "__D__UI-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "__D__ReluxInt", package: "__PACKAGE__"),
                        ],
                        swiftSettings: strict
                    ),
                    // The process that a person starts; see README.md.
                    .executableTarget(
                        name: "__D__UIMain",
                        dependencies: [
                            .product(name: "__D__UIAPI", package: "__D__UI-Self"),
                            .product(name: "__D__UI", package: "__D__UI-Self"),
                            .product(name: "ReluxHost", package: "relux-cluster"),
                            .product(name: "ReluxTerminal", package: "relux-cluster"),
                            .product(name: "__D__ReluxInt", package: "__PACKAGE__"),
                        ],
                        swiftSettings: strict
                    ),
                    .testTarget(
                        name: "__D__UITests",
                        dependencies: [
                            .product(name: "__D__UIAPI", package: "__D__UI-Self"),
                            .product(name: "__D__UI", package: "__D__UI-Self"),
                            .product(name: "Relux", package: "relux-cluster"),
                            .product(name: "ReluxTestKit", package: "relux-cluster"),
                            .product(name: "__D__ReluxInt", package: "__PACKAGE__"),
                        ],
                        swiftSettings: strict
                    ),
                ]
            )
            """##
        ),
        (
            "README.md",
            ##"""
            # __D__UI

            __D__ in a terminal: a process of its own, which a person starts beside a running cluster.

            ```sh
            __d__-ui --run DIRECTORY --host __D__UI
            ```

            What is shown comes from the snapshot that __D__ relays; what is typed goes out as effects of its interface: __HELP__.

            - `__D__UIAPI`: `__D__UIProviding`, which gives a view for a page and takes what is typed on it.
            - `__D__UI`: `__D__UIRouter`, which does that, and the module `__D__UI`, which observes `__D__.Business.Snapshot` and handles nothing.
            - `__d__-ui`: the process. One at a time: a second one under the same name is turned away by the broker.
            """##
        ),
        (
            "Sources/__D__UIAPI/__D__UIProviding.swift",
            ##"""
            public import __D__ReluxInt

            extension __D__.UI {
                /// What a page shows, in the terminal's terms: lines of text.
                public struct View: Sendable, Equatable {
                    public var title: String
                    public var lines: [String]
                    /// What may be typed here.
                    public var help: String

                    public init(title: String, lines: [String], help: String) {
                        self.title = title
                        self.lines = lines
                        self.help = help
                    }
                }
            }

            /// Gives views for the pages of __D__, and takes what is typed on them.
            ///
            /// Everything that a view reads is observable: the program that shows it asks again after a change.
            public protocol __D__UIProviding: Sendable {
                @MainActor
                func view(for page: __D__.UI.Model.Page) -> __D__.UI.View

                /// Does what the line says, and answers with the page to show next. An empty line clears the notice.
                @MainActor
                func enter(_ line: String, on page: __D__.UI.Model.Page) async -> __D__.UI.Model.Page
            }
            """##
        ),
        (
            "Sources/__D__UI/__D__UI+Plugin.swift",
            ##"""
            public import __D__ReluxInt
            public import Relux
            internal import ReluxPlugin

            extension __D__.UI {
                /// The interface as a module: it observes and asks, and has nothing of its own.
                public struct Module: Relux.Plugin {
                    public static let version = "1.0.0"
                    public static let moduleID: ModuleID = "__D__UI"
                    public static var kind: Relux.ModuleKind { .userInterface }
                    public static var emits: [any Relux.Effect.Type]? { [__D__.Business.Effect.self] }
                    public static var observes: [any Relux.SharedSnapshot.Type] { [__D__.Business.Snapshot.self] }

                    public let states: [any Relux.AnyState] = []
                    public let sagas: [any Relux.Saga] = []

                    public init() {}
                }
            }

            @c(relux_plugin_main)
            public func pluginMain() -> UnsafeMutableRawPointer { exportModule(__D__.UI.Module.self) }
            """##
        ),
        (
            "Sources/__D__UIMain/main.swift",
            ##"""
            import __D__ReluxInt
            import __D__UI
            import __D__UIAPI
            import ReluxHost
            import ReluxTerminal

            await ReluxHostMain.run(interface: pluginMain) { dispatcher in
                let router: any __D__UIProviding = __D__UIRouter(dispatcher: dispatcher)
                let place = Place()
                return await Terminal().run(
                    frame: {
                        let view = router.view(for: place.page)
                        return [view.title] + view.lines + ["", view.help]
                    },
                    enter: { line in place.page = await router.enter(line, on: place.page) })
            }

            /// Where the person is.
            @MainActor
            final class Place {
                var page = __D__.UI.Model.Page.__FIRST__
            }
            """##
        ),
    ] + views
}
