import Foundation
import PageKit
import ReluxTestKit
import Testing

extension EndToEnd {
    /// The pages that need the example cluster, from themselves: what they say is done, and what they show is what is printed.
    @Suite struct DocumentedPages {
        @Test func `what the pages show is what the example cluster prints`() async throws {
            let pages = try Pages.executed(by: #filePath, in: Built.repository)
            #expect(pages.count > 5, "few pages name this test: \(pages.map(\.path))")
            defer { Self.clean() }
            Self.clean()
            try await Cluster.play { cluster in
                for page in pages { try await Self.play(page, cluster) }
            }
        }

        /// A page that breaks off is an issue, and the others are executed all the same.
        private static func play(_ page: Pages, _ cluster: Cluster) async throws {
            let run = try PageRun(cluster, page)
            do {
                for step in page.page.steps { try await run.play(step) }
            } catch {
                Issue.record("\(page.path) broke off: \(error)")
            }
            for (command, took) in run.times {
                print("\(page.path)  \(took.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1))))  \(command)")
            }
            #expect(!run.times.isEmpty, "\(page.path) has no command")
        }

        /// Takes away what the pages' builds leave beside the plugins: `relux module pack --all` would pack it, and the next build by hand
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
