import Foundation
@testable import ReluxLint
@testable import ReluxScaffold
import Testing

@Suite struct UIScaffoldTests {
    private func outline(_ domain: String) -> InterfaceOutline { InterfaceOutline(of: domain, package: "\(Folders.root)/Plugins/\(domain)") }

    private func files(_ domain: String) throws -> [String: String] {
        try UIScaffold.make(try ModuleName(domain: domain), outline(domain), path: "../\(domain)", .inside).files
    }

    @Test func `of Notes it is NotesUI but for its views and what is typed`() throws {
        let (generated, plugin) = (try files("Notes"), Plugin("NotesUI"))
        for path in [
            "Package.swift", "Sources/NotesUIAPI/NotesUIProviding.swift", "Sources/NotesUI/NotesUI+Plugin.swift", "Sources/NotesUIMain/main.swift",
        ] {
            #expect(try generated[path] == plugin.text(path), "\(path)")
        }
        let swift = generated.keys.filter { $0.hasSuffix(".swift") && !$0.contains("SnapshotTests") }
        #expect(try Set(swift) == plugin.sources())
    }

    @Test func `pages, requests and snapshot are those of the interface`() throws {
        let notes = outline("Notes")
        #expect(notes.pages == [.init("list"), .init("tip"), .init("details", [.init("id", "String")])])
        #expect(notes.effects.contains(.init("upsert", [.init("id", "String"), .init("title", "String"), .init("body", "String")])))
        #expect(notes.snapshot?.fields.map(\.label) == ["userId", "entries", "found", "failure"])
        let generated = try files("Notes")
        let router = try #require(generated["Sources/NotesUI/NotesUIRouter.swift"])
        #expect(router.contains("        case .details: detailsPage\n") && router.contains("    private var tipPage: Notes.UI.View {"))
        #expect(router.contains("        lines += snapshot.entries.enumerated().map { \"\\($0 + 1)  \\($1)\" }\n"))
        #expect(router.contains("        if let failure = snapshot.failure { lines.append(\"failure: \\(failure)\") }\n"))
        let enter = try #require(generated["Sources/NotesUI/NotesUIRouter+Enter.swift"])
        #expect(enter.contains("        case \"delete\" where !rest.isEmpty: await send(.delete(id: rest))\n"))
        #expect(enter.contains("        case \"list\" where rest.isEmpty: await send(.list)\n") && !enter.contains("upsert"))
    }

    /// The words that may be typed in a generated user interface of a domain.
    private func words(_ domain: String) throws -> [String] {
        try #require(files(domain)["Sources/\(domain)UI/\(domain)UIRouter+Enter.swift"]).components(separatedBy: "\n").compactMap { line in
            line.contains("await send(.") ? line.split(separator: "\"").dropFirst().first.map(String.init) : nil
        }
    }

    @Test func `what a domain says, and what takes a user's id, is no request of a person`() throws {
        // As in NotesUI, which sends neither of them.
        let notes = try Plugin("NotesUI").text("Sources/NotesUI/NotesUIRouter+Enter.swift")
        for (name, word) in [("deleteAll(", "deleteAll"), ("deleted", "deleted")] {
            let typed = try words("Notes")
            #expect(!notes.contains("send(.\(name)") && !typed.contains(word))
        }
        #expect(try words("Notes") == ["delete", "list", "search"])
        #expect(!notes.contains("send(.close"))
        // An event whose name does not end like one: the flow leaves it alone.
        #expect(outline("Auth").events == ["authSucceeded", "authFailed", "loggedOut", "accountDeleted"])
        #expect(try words("Auth") == ["logout", "runLogoutFlow", "validateSession", "deleteAccount"])
    }

    @Test func `what its author keeps for orchestrators is no request of a person, however the comment is broken`() throws {
        let source = """
            extension Weather.Business {
                enum Effect: Relux.Effect {
                    /// Orchestrators see it.
                    case load
                    /// Nothing is shown any more. Orchestrators
                    /// send it.
                    case close
                    /**
                     * Orchestrators send it.
                     */
                    case stop
                    // Orchestrators send it.
                    case show
                }
            }
            """
        let outline = InterfaceOutline(of: "Weather", [source])
        #expect(outline.effects.filter(\.isForOrchestrators).map(\.name) == ["close", "stop"])
        let whole = InterfaceOutline(pages: [.init("list")], effects: outline.effects, snapshot: .init(fields: [], parameters: []))
        let made = try UIScaffold.make(try ModuleName(domain: "Weather"), whole, path: "../Weather", .inside).files
        let enter = try #require(made["Sources/WeatherUI/WeatherUIRouter+Enter.swift"])
        #expect(enter.contains("\"load\"") && enter.contains("\"show\"") && !enter.contains("\"close\"") && !enter.contains("\"stop\""))
    }

    @Test func `without an implementation to ask, an event is known by its name`() throws {
        let effects = ["load", "loggedOut", "loadFailed", "loginSuccess", "feed", "needAll"].map { InterfaceOutline.Case($0) }
        let outline = InterfaceOutline(pages: [.init("list")], effects: effects, snapshot: .init(fields: [], parameters: []))
        let made = try UIScaffold.make(try ModuleName(domain: "Weather"), outline, path: "../Weather", .inside).files
        let enter = try #require(made["Sources/WeatherUI/WeatherUIRouter+Enter.swift"])
        for word in ["load", "feed", "needAll"] { #expect(enter.contains("case \"\(word)\" "), "\(word)") }
        for word in ["loggedOut", "loadFailed", "loginSuccess"] { #expect(!enter.contains("\"\(word)\""), "\(word)") }
    }

    @Test func `every domain of ours that has pages and a snapshot gets views`() throws {
        for domain in ["Auth", "Cart", "Files", "Library", "Notes", "Profile", "Settings", "Sync"] {
            let outline = outline(domain)
            guard outline.snapshot != nil, outline.pages.contains(where: \.values.isEmpty) else { continue }
            for (path, text) in try files(domain) {
                #expect(!path.contains("__") && !text.contains("__"), "\(path)")
                #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(path)")
                #expect(!text.components(separatedBy: "\n").contains { $0.hasSuffix(" ") }, "\(path)")
            }
        }
    }

    @Test func `an interface without a page to begin with, or without a snapshot, is refused with the remedy`() throws {
        let name = try ModuleName(domain: "Weather")
        for (outline, word) in [
            (InterfaceOutline(pages: [.init("details", [.init("id", "String")])], effects: [], snapshot: nil), "case list"),
            (InterfaceOutline(pages: [.init("list")], effects: [], snapshot: nil), "SharedSnapshot"),
        ] {
            let error = #expect(throws: ScaffoldError.self) { try UIScaffold.make(name, outline, path: "../Weather", .inside) }
            #expect(error?.code == "new.ui" && error?.hint.contains(word) == true)
        }
    }
}
