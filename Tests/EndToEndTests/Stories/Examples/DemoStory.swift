import Foundation
import ReluxControl
import ReluxTestKit
import Testing

extension EndToEnd {
    @Suite struct Demo {
        /// With each module in its own host the README's page plays it; see ``DocumentedPages``.
        @Test(arguments: Placement.allCases.filter { $0 != .ownHosts })
        func `the demo script plays a whole session, with the tap beside it`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                var environment = cluster.cli.environment
                environment["RELUX_CONFIGURATION"] = URL(fileURLWithPath: Built.directory).lastPathComponent
                environment["RELUX_RUN"] = cluster.run.path
                let outcome = try await CLI.run(
                    "/bin/sh", ["\(Built.repository)/deploy/cluster", "demo"], environment: environment)
                #expect(outcome.status == 0, "\(outcome)")
                for word in ["register", "login", "fetchProfile", "upsert", "search", "runLogoutFlow"] {
                    #expect(outcome.stdout.contains("relux effect send") && outcome.stdout.contains(word), "\(outcome)")
                }
                let tapped = outcome.lines.filter { $0.hasPrefix("    tap | ") }
                for word in [
                    "Profile.Business.Effect.clearProfile", "Settings.Business.Effect.resetToDefaults",
                    "Notes.Business.Effect.close", "<- Auth#",
                ] {
                    #expect(tapped.contains { $0.contains(word) }, "\(outcome)")
                }
            }
        }
    }
}
