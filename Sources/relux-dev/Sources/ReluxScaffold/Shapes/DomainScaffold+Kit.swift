import Foundation

/// Seed 3's facade for simple consumers.
extension DomainScaffold {
    /// The same domain with a library more, that hands on models, interface and Relux; and a test that is a client.
    static func kit(_ whole: Scaffold, _ name: ModuleName) -> Scaffold {
        let domain = name.text
        var files = whole.files
        for (path, text) in DomainTemplate.kit {
            files[path.replacing("__D__", with: domain)] = filled(text, ["__D__": domain])
        }
        files["Package.swift"] = files["Package.swift"].map { manifest($0, domain) }
        var checklist = whole.checklist
        checklist.insert(
            .init(text: "\(domain)Kit: models, interface and Relux by one import, for clients", isDone: true),
            at: (checklist.lastIndex(where: \.isDone) ?? -1) + 1)
        return Scaffold(files: files, checklist: checklist)
    }

    /// Before TestSupport, as product and as target, and among what the tests link.
    private static func manifest(_ text: String, _ domain: String) -> String {
        var lines: [String] = []
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("        .library(name: \"\(domain)TestSupport\"") {
                lines.append("        .library(name: \"\(domain)Kit\", type: .dynamic, targets: [\"\(domain)Kit\"]),")
            }
            if line == "            name: \"\(domain)TestSupport\",", lines.last == "        .target(" {
                lines.removeLast()
                lines += filled(DomainTemplate.kitTarget, ["__D__": domain]).split(separator: "\n").map { "        " + $0 } + ["        .target("]
            }
            if line == "                .product(name: \"\(domain)TestSupport\", package: \"\(domain)-Self\")," {
                lines.append(line.replacing("TestSupport", with: "Kit"))
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
