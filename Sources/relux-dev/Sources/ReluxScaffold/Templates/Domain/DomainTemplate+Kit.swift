extension DomainTemplate {
    static let kit: [(path: String, text: String)] = [
        (
            "Sources/__D__Kit/Exports.swift",
            ##"""
            // Who asks __D__ and reads what it tells imports this and nothing more. It hands on what others may know of __D__, and has nothing of its own.
            @_exported public import __D__Models
            @_exported public import __D__ReluxInt
            @_exported public import Relux
            """##
        ),
        (
            "Tests/__D__Tests/__D__KitTests.swift",
            ##"""
            import Testing
            import __D__Kit

            @Suite struct __D__KitTests {
                @Test func `a client asks and reads by one import`() {
                    let effect: any Relux.Effect = __D__.Business.Effect.add(title: "one")
                    let snapshot = __D__.Business.Snapshot(items: [.init(id: 1, title: "one")], failure: nil)
                    #expect(effect is __D__.Business.Effect && snapshot.items.map(\.title) == ["one"])
                }
            }
            """##
        ),
    ]

    static let kitTarget = ##"""
        .target(
            name: "__D__Kit",
            dependencies: [
                .product(name: "__D__Models", package: "__D__-Self"),
                .product(name: "__D__ReluxInt", package: "__D__-Self"),
                .product(name: "Relux", package: "relux-cluster"),
            ],
            swiftSettings: strict
        ),
        """##
}
