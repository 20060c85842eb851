import Foundation
import ReluxTestKit
import Testing

extension EndToEnd {
    /// The tutorial in the catalogue, from its own page: what it says is done, and what it shows is what is printed.
    @Suite struct Tutorial {
        static let page = Built.repository + "/Sources/ReluxPlugin/ReluxPlugin.docc/Weather.md"

        @Test func `the page Weather leads from nothing to an upgrade in a running cluster`() async throws {
            let page = try TutorialPage(String(contentsOfFile: Self.page, encoding: .utf8))
            defer { Self.clean() }
            Self.clean()
            try await Cluster.play { cluster in
                let run = try TutorialRun(
                    cluster, warmUp: ["Weather.Business.Effect.load", "Weather.Business.Effect.itemsChanged"])
                for step in page.steps { try await run.play(step) }
                for (command, took) in run.times {
                    print("tutorial  \(took.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))))  \(command)")
                }
                #expect(run.times.count > 8, "the page says little")
            }
        }

        /// Takes away what the page's build leaves beside the plugins: `relux module pack --all` would pack it, and the next build by hand
        /// would take its plan.
        private static func clean() {
            let manager = FileManager.default
            for place in [Built.directory, Built.path("Modules")] {
                for entry in (try? manager.contentsOfDirectory(atPath: place)) ?? [] where entry.hasPrefix("Weather") || entry.hasPrefix("libWeather") {
                    try? manager.removeItem(atPath: "\(place)/\(entry)")
                }
            }
            for plan in [Built.path("description.json"), Built.path("../../debug.yaml")] { try? manager.removeItem(atPath: plan) }
        }
    }
}
