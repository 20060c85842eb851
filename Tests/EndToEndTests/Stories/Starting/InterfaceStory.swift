import Foundation
import Glibc
import ReluxControl
import ReluxLayers
import ReluxLoader
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import Testing

extension EndToEnd {
    @Suite struct Interfaces {
        @Test func `notes in a terminal: what is typed appears, and so does what others change`() async throws {
            try await Cluster.play { cluster in
                let screen = try Screen(cluster, "notes-ui", as: "NotesUI")
                try await screen.shows("Notes: nobody is logged in")
                try screen.type("add Milk")
                try await screen.shows("log in first")

                let registered = try await cluster.cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "judith"}"#, "--secret", "password",
                    input: "Leyster-1633\n")
                #expect(registered.status == 0, "\(registered)")
                try await screen.shows("the user's notes") { $0.first?.hasPrefix("Notes of ") == true }
                try screen.type("add Milk: two bottles")
                try await screen.shows("1  Milk")
                try screen.type("open 1")
                try await screen.shows("two bottles")
                try screen.type("back")

                // Somebody else's change comes by itself.
                let other = try await cluster.cli(
                    "effect", "send", "Notes.Business.Effect.upsert", #"{"id": "n2", "title": "Bread", "body": ""}"#)
                #expect(other.status == 0, "\(other)")
                try await screen.shows("both notes") { $0.contains("  1  Bread") && $0.contains("  2  Milk") }

                // It is a process and a module of its own, and knows no more than the interface.
                let module = try await cluster.client.module("NotesUI", is: .ready)
                #expect(module.pid == screen.child.pid)
                let unloaded = try await cluster.cli("module", "unload", "Notes", "--yes")
                #expect(unloaded.status == 0, "\(unloaded)")
                try await screen.shows("the last value, stale") { $0.first?.contains("stale") == true && $0.contains("  1  Bread") }

                // One at a time.
                let second = try Screen(cluster, "notes-ui", as: "NotesUI")
                #expect(try await second.child.ended("the second interface") != 0)
                try await second.saysAside("\(screen.child.pid)")
                try await second.saysAside("quit the one that runs under this name")
                try screen.type("find Bread")
                try await screen.shows("there are no Notes in this cluster")

                try screen.type("quit")
                #expect(try await screen.child.ended("the interface") == 0)
            }
        }

        @Test func `an interface whose output is full ends, and status says so`() async throws {
            try await Cluster.play { cluster in
                let ended = try await CLI.run(
                    "/bin/sh", ["-c", "exec \"$0\" \"$@\" >/dev/full", Built.path("notes-ui"), "--run", cluster.run.path, "--host", "NotesUI"],
                    environment: cluster.cli.environment)
                #expect(ended.status == 74, "\(ended)")
                _ = try await cluster.client.status(when: "its end to be told") { status in
                    status.modules.contains { $0.id == "NotesUI" && $0.state == ModuleState(.stopped, why: "its interface has ended with status 74") }
                }
                let status = try await cluster.cli("status")
                #expect(status.stdout.contains("its interface has ended with status 74"), "\(status)")
            }
        }

        @Test(arguments: Placement.allCases)
        func `one picture of Auth, Profile and Notes, wherever they run`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let screen = try Screen(cluster, "app-ui", as: "AppUI")
                try await screen.shows("nobody, and nothing stale") { $0 == ["nobody is logged in"] }
                let registered = try await cluster.cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "judith"}"#, "--secret", "password", "--json",
                    input: "Leyster-1633\n")
                #expect(registered.status == 0, "\(registered)")
                let outcomes = (try registered.json()["outcomes"] ?? .null).elements
                let user = try #require(outcomes.first { $0["recipient"]?.text == "Auth" }?["value"]?.text)
                try await screen.shows("the account") { $0 == ["judith", "0 notes"] }
                for (effect, payload) in [
                    ("Profile.Business.Effect.updateProfile", #"{"userId": "\#(user)", "displayName": "Judith L.", "about": ""}"#),
                    ("Notes.Business.Effect.upsert", #"{"id": "n1", "title": "Milk", "body": ""}"#),
                ] {
                    let sent = try await cluster.cli("effect", "send", effect, payload)
                    #expect(sent.status == 0, "\(sent)")
                }
                try await screen.shows("all three domains") { $0 == ["Judith L. (judith)", "1 note: Milk"] }
                let unloaded = try await cluster.cli("module", "unload", "Notes", "--yes")
                #expect(unloaded.status == 0, "\(unloaded)")
                try await screen.shows("who is gone") { $0 == ["Judith L. (judith)", "1 note: Milk", "stale: Notes"] }
                let left = try await cluster.cli("effect", "send", "Auth.Business.Effect.runLogoutFlow")
                #expect(left.status == 0, "\(left)")
                try await screen.shows("nobody") { $0.first == "nobody is logged in" }
                // Nobody quits: it ends with the cluster, which does not wait for a person.
                let down = try await cluster.cli("down", "--timeout", "60s")
                #expect(down.status == 0, "\(down)")
                #expect(try await screen.child.ended("the interface") == 0)
                try await screen.saysAside("the cluster has ended, and AppUI with it")
                // Without one there is nothing to show.
                let late = try Screen(cluster, "app-ui", as: "AppUI")
                #expect(try await late.child.ended("an interface without a cluster") == EX_UNAVAILABLE)
                try await late.saysAside("start it with `relux up` first")
                // A broker that somebody else runs is a cluster too.
                let lock = try SocketLock(socketPath: cluster.run.brokerSocket)
                let beside = try Screen(cluster, "app-ui", as: "AppUI")
                try await beside.saysAside("no supervisor runs this cluster: AppUI does not end with it")
                beside.child.signal(SIGKILL)
                _ = try await beside.child.ended("an interface beside somebody else's broker")
                lock.release()
            }
        }

        @Test(arguments: ["libNotesUI.so", "libNotesUIAPI.so", "libAppUI.so"])
        func `an interface needs interfaces and models only, whatever those need included`(library: String) throws {
            let names = try LibraryClosure(library: Built.path(library)).images.map { URL(fileURLWithPath: $0.file).lastPathComponent }
            let module = library.contains("App") ? "AppUI" : "NotesUI"
            for name in names where LibraryName(file: name).owner(among: [module]) != module {
                #expect([.interface, .models].contains(LibraryName(file: name).layered?.layer), "\(library) reaches \(name)")
            }
            #expect(names.contains("libNotesReluxInt.so"))
        }
    }
}
