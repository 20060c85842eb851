import Foundation

/// Seed 3's fallback: interfaces and implementations as packages of their own, in one folder.
extension DomainScaffold {
    /// The same domain in `<Domain>Interfaces` and `<Domain>Implementations`; the tests are the latter's, the mocks for others the former's.
    static func split(_ whole: Scaffold, _ name: ModuleName) -> Scaffold {
        let domain = name.text
        let (interfaces, implementations) = ("\(domain)Interfaces", "\(domain)Implementations")
        var files: [String: String] = [:]
        for (path, text) in whole.files where path != "Package.swift" {
            files["\(isWork(path, domain) || path.hasPrefix("Tests/") ? implementations : interfaces)/\(path)"] = text
        }
        let manifest = Manifest(whole.files["Package.swift"] ?? "", domain)
        files["\(interfaces)/Package.swift"] = manifest.part(interfaces, beside: nil) { !isWork($0, domain) && !$0.hasSuffix("Tests") }
        files["\(implementations)/Package.swift"] = manifest.part(implementations, beside: interfaces) {
            isWork($0, domain) || $0.hasSuffix("Tests")
        }
        return Scaffold(files: files, tested: implementations, checklist: checklist(whole.checklist, domain))
    }

    /// Whether the text, a path or a target's name, belongs to a target that does the work.
    private static func isWork(_ text: String, _ domain: String) -> Bool {
        let target = text.hasPrefix("Sources/") ? String(text.split(separator: "/")[1]) : text
        return target == "\(domain)ServiceImpl" || target == "\(domain)ReluxImpl"
    }

    private static func checklist(_ whole: [Scaffold.Step], _ domain: String) -> [Scaffold.Step] {
        whole.map { step in
            if step.text.hasPrefix("\(domain)/Package.swift") {
                let products = step.text.hasSuffix("four products") ? "four" : "six"
                return .init(text: "\(domain)Interfaces and \(domain)Implementations, packages with \(products) products together", isDone: true)
            }
            guard step.text.hasPrefix("register it:") else {
                return .init(
                    text: step.text.replacing("\(domain)/.build/debug", with: "\(domain)/\(domain)Implementations/.build/debug"), isDone: step.isDone)
            }
            return .init(
                text: "register it: .package(path: \"Plugins/\(domain)/\(domain)Implementations\") in the dependencies and its product "
                    + "\(domain)ReluxImpl in `plugins`, in Package.swift, and `- module: \(domain)` in deploy/cluster.yaml", isDone: false)
        }
    }
}

/// A domain's manifest taken apart: what stands above the package, products, and targets.
private struct Manifest {
    private let domain: String
    private let head: [String]
    private let products: [String]
    private let dependencies: [String]
    /// Each by its name.
    private var targets: [(name: String, lines: [String])] = []

    init(_ text: String, _ domain: String) {
        self.domain = domain
        let lines = text.components(separatedBy: "\n")
        // Which of the two packages has a product decides the order; so they keep their dependencies by hand.
        head = lines.prefix { $0 != "let package = Package(" }.filter { !$0.contains("relux generate") }
        func section(_ name: String) -> ArraySlice<String> {
            lines.drop { $0 != "    \(name): [" }.dropFirst().prefix { $0 != "    ]," && $0 != "    ]" }
        }
        products = Array(section("products"))
        dependencies = section("dependencies").filter { !$0.contains("-Self") }
        for line in section("targets") {
            if line.hasPrefix("        .") { targets.append(("", [])) }
            guard !targets.isEmpty else { continue }
            targets[targets.count - 1].lines.append(line)
            if targets[targets.count - 1].name.isEmpty, let name = Self.name(in: line) { targets[targets.count - 1].name = name }
        }
    }

    /// The package with those targets that are its own.
    /// - Parameter other: the package beside it that has the rest.
    func part(_ name: String, beside other: String?, has: (String) -> Bool) -> String {
        let own = targets.filter { has($0.name) }
        let packages = ["        .package(name: \"\(name)-Self\", path: \".\"),"]
            + (other.map { ["        .package(path: \"../\($0)\"),"] } ?? [])
            + dependencies.filter { line in other != nil || line.contains("relux-cluster") }
        let lines =
            head + ["let package = Package(", "    name: \"\(name)\",", "    products: ["] + products.filter { Self.name(in: $0).map(has) == true }
            + ["    ],", "    dependencies: ["] + packages + ["    ],", "    targets: ["]
            + own.flatMap(\.lines).map { line in
                guard line.contains("package: \"\(domain)-Self\""), let product = Self.name(in: line) else { return line }
                return line.replacing("\"\(domain)-Self\"", with: "\"\(has(product) ? name + "-Self" : other ?? "")\"")
            } + ["    ]", ")", ""]
        return lines.joined(separator: "\n")
    }

    /// `Auth` of `name: "Auth"`.
    private static func name(in line: String) -> String? {
        guard let start = line.range(of: "name: \"") else { return nil }
        return String(line[start.upperBound...].prefix { $0 != "\"" })
    }
}
