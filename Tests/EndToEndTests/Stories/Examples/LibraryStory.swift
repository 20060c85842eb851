import Foundation
import LibraryReluxInt
import LibraryServiceImpl
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// Features of seed 4 in a process of their own: what their root delegates goes over the bus, and nothing else of them.
    @Suite struct LibraryFeatures {
        @Test(arguments: Placement.allCases)
        func `a reader logs in, lists, plays and deletes, and an expired session ends at SessionOrchestration`(
            _ placement: Placement
        ) async throws {
            try await Cluster.play(placement) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                let user = try await login(cluster, tap)

                // A list, a file that plays to its end, and one that is deleted.
                for (id, title) in [("f1", "A song"), ("f2", "A talk")] {
                    try await send(cluster, "add", #"{"id": "\#(id)", "title": "\#(title)", "contents": "la la la"}"#)
                }
                let listed = try await send(cluster, "list")
                #expect(listed["value"]?.elements.compactMap { $0["fileId"]?.text } == ["f1", "f2"])
                try await send(cluster, "play", #"{"id": "f1"}"#)
                let played = try await tap.effect("played") { $0.path == "Library.Business.Effect.played" }
                #expect(played.payload["played"]?["file"]?["byteCount"]?.whole == 8)
                try await send(cluster, "delete", #"{"id": "f1"}"#)
                let deleted = try await tap.effect("deleted") { $0.path == "Library.Business.Effect.deleted" }
                #expect(deleted.payload["deleted"]?["file"]?["fileId"]?.text == "f1")
                #expect(deleted.file.hasSuffix("Library+Business+State.swift"), "a delegate has left: \(deleted.file)")
                #expect(try await send(cluster, "list")["value"]?.elements.count == 1)

                try await expire(user, cluster, tap)
                try check(tap)
                try await tap.end()
            }
        }

        /// An account, and a login through the library's own form. Returns the user id.
        private func login(_ cluster: Cluster, _ tap: Tap) async throws -> String {
            let registered = try await cluster.cli(
                "effect", "send", "Auth.Business.Effect.register", #"{"name": "ada"}"#, "--secret", "password", input: "Kahlo-1907\n")
            #expect(registered.status == 0, "\(registered)")
            let left = try await cluster.cli("effect", "send", "Auth.Business.Effect.runLogoutFlow")
            #expect(left.status == 0, "\(left)")

            let label = UUID().uuidString
            let signedIn = try await cluster.cli(
                "effect", "send", "Library.Business.Effect.signIn", #"{"name": "ada"}"#, "--secret", "password", "--label", label,
                input: "Kahlo-1907\n")
            #expect(signedIn.status == 0, "\(signedIn)")
            let root = try await tap.effect("the sign-in") { $0.label == label }.id
            var cause = root
            for (path, module) in [
                ("Library.Business.Effect.loginRequested", "Library"), ("Auth.Business.Effect.login", "SessionOrchestration"),
                ("Auth.Business.Effect.authSucceeded", "Auth"), ("Library.Business.Effect.open", "SessionOrchestration"),
                ("Library.Business.Effect.opened", "Library"),
            ] {
                let expected = cause
                let next = try await tap.effect(path) { $0.path == path && $0.cause == expected }
                #expect(next.module == module && next.root == root)
                if path.hasSuffix(".login") || path.hasSuffix("loginRequested") {
                    #expect(next.payload[next.caseName]?["password"]?.text == "•••")
                }
                cause = next.id
            }
            let opened = try await tap.effect("opened") { $0.path == "Library.Business.Effect.opened" && $0.root == root }
            return try #require(opened.payload["opened"]?["userId"]?.text)
        }

        /// The library's session of the reader ends behind its back: the next question is refused, and the session is over everywhere.
        private func expire(_ user: String, _ cluster: Cluster, _ tap: Tap) async throws {
            try await Library.Business.Service(databasePath: cluster.run.state + "/Library/library.sqlite").closeSession(userId: user)
            let refused = try await cluster.cli("effect", "send", "Library.Business.Effect.list", "--json")
            #expect(refused.status == 1 && refused.stdout.contains("sessionExpired"), "\(refused)")
            let escalated = try await tap.effect("the escalation") { $0.path == "Library.Business.Effect.authenticationRequired" }
            #expect(escalated.module == "Library" && escalated.payload["authenticationRequired"]?["userId"]?.text == user)
            let forced = try await tap.effect("forceReauthentication") { $0.cause == escalated.id }
            #expect(forced.path == "Auth.Business.Effect.forceReauthentication" && forced.module == "SessionOrchestration")
            let over = try await tap.effect("the end of the session") { $0.cause == forced.id && $0.caseName == "loggedOut" }
            try await tap.effect("the library to be closed") { $0.cause == over.id && $0.path == "Library.Business.Effect.close" }
            let answered = try await cluster.cli("effect", "send", "Library.Business.Effect.list", "--json")
            #expect(answered.status == 1 && answered.stdout.contains("notAuthenticated"), "\(answered)")
        }

        /// 62: of all that leaves the library's process, under whatever topic, nothing is what its features do inside: its root's delegates, the pages
        /// that its router leads to, and an error that is tracked.
        private func check(_ tap: Tap) throws {
            let told = ["loginRequested", "opened", "played", "deleted", "authenticationRequired", "libraryFailed"]
            let paths = Set(told.map { "Library.Business.Effect.\($0)" } + ["Navigation.Business.Effect.set", "ErrorHandling.Business.Effect.track"])
            let said = tap.effects.filter { $0.module == "Library" }
            #expect(!said.isEmpty)
            for effect in said { #expect(paths.contains(effect.path), "\(effect.path) is no delegate") }
        }

        /// Sends it and returns the library's outcome.
        @discardableResult
        private func send(_ cluster: Cluster, _ name: String, _ payload: String = "{}") async throws -> JSONValue {
            let sent = try await cluster.cli("effect", "send", "Library.Business.Effect.\(name)", payload, "--json")
            #expect(sent.status == 0, "\(sent)")
            let outcomes = (try sent.json()["outcomes"] ?? .null).elements
            return try #require(outcomes.first { $0["recipient"]?.text == "Library" })
        }
    }
}
