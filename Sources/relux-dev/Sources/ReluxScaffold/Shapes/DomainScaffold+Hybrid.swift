import Foundation

/// Seed 3's way to start small: no products for the service, which lives in `ReluxImpl` until it is worth its own.
extension DomainScaffold {
    /// The same domain without the service's two layers, which move into the implementation, and its mock into the tests.
    static func hybrid(_ whole: Scaffold, _ name: ModuleName) -> Scaffold {
        let domain = name.text
        var files: [String: String] = [:]
        for (path, text) in whole.files {
            switch path {
            case "Package.swift": files[path] = manifest(text, domain)
            case _ where path.hasPrefix("Sources/\(domain)ServiceInt/") || path.hasPrefix("Sources/\(domain)ServiceImpl/"):
                files["Sources/\(domain)ReluxImpl/\(lastPart(path))"] = hidden(text, domain, imports: "internal ")
            case "Sources/\(domain)TestSupport/\(domain)+Business+ServiceMock.swift":
                files["Tests/\(domain)Tests/\(lastPart(path))"] = hidden(text, domain, imports: "", implementation: true)
            case _ where path.hasPrefix("Tests/"): files[path] = without(text, domain, implementation: true)
            default: files[path] = without(text, domain)
            }
        }
        return Scaffold(files: files, checklist: checklist(whole.checklist, domain))
    }

    private static let layers = ["ServiceInt", "ServiceImpl"]

    private static func lastPart(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// Without imports of the two layers; a test gets the implementation instead.
    private static func without(_ text: String, _ domain: String, implementation: Bool = false) -> String {
        let kept = text.components(separatedBy: "\n").filter { line in
            !layers.contains { line.hasSuffix("import \(domain)\($0)") }
        }
        let test = "@testable import \(domain)ReluxImpl"
        let isMissing = implementation && kept.count < text.components(separatedBy: "\n").count && !kept.contains(test)
        return filled((isMissing ? [test] + kept : kept).joined(separator: "\n").trimmingCharacters(in: .newlines), [:])
    }

    /// Nothing of it for others.
    private static func hidden(_ text: String, _ domain: String, imports access: String, implementation: Bool = false) -> String {
        let lines = without(text, domain, implementation: implementation).components(separatedBy: "\n").map { line in
            for word in ["public import ", "internal import "] where line.hasPrefix(word) { return access + "import " + line.dropFirst(word.count) }
            return line.replacing("public ", with: "")
        }
        return lines.joined(separator: "\n")
    }

    /// Without the two layers' products, targets, and all that depends on them.
    private static func manifest(_ text: String, _ domain: String) -> String {
        var lines: [String] = []
        var rest = text.components(separatedBy: "\n")[...]
        while let line = rest.popFirst() {
            let isLayer = { (line: String?) in layers.contains { line?.contains("name: \"\(domain)\($0)\"") == true } }
            if line == "        .target(", isLayer(rest.first) {
                rest = rest.drop { $0 != "        )," }.dropFirst()
            } else if !isLayer(line) {
                lines.append(line)
            }
        }
        // The mock has left the test support.
        if let support = lines.firstIndex(where: { $0.contains("name: \"\(domain)TestSupport\",") && !$0.contains(".library") }),
            let kit = lines[support...].firstIndex(where: { $0.contains("ReluxTestKit") || $0.contains("swiftSettings") }), lines[kit].contains("ReluxTestKit")
        { lines.remove(at: kit) }
        return lines.joined(separator: "\n")
    }

    private static func checklist(_ whole: [Scaffold.Step], _ domain: String) -> [Scaffold.Step] {
        whole.compactMap { step in
            if step.text.contains("six products") { return .init(text: "\(domain)/Package.swift with four products", isDone: true) }
            if step.text.hasPrefix("\(domain)ServiceInt") { return nil }
            if step.text.hasPrefix("\(domain)ServiceImpl") {
                return .init(text: "\(domain)ReluxImpl: the service too, \(step.text.dropFirst("\(domain)ServiceImpl: a service ".count))", isDone: true)
            }
            if step.text.hasPrefix("\(domain)TestSupport") { return .init(text: "\(domain)TestSupport: stub; the service's mock is in \(domain)Tests", isDone: true) }
            return step
        } + [
            .init(
                text: "when it grows: give IService and its services products of their own, \(domain)ServiceInt and \(domain)ServiceImpl",
                isDone: false)
        ]
    }
}
