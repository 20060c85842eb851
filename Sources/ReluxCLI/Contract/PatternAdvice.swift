import ReluxControl
import ReluxOutput
import ReluxPlugin
import ReluxTap
import ReluxWire

/// Advice on patterns that match nothing that is known. They may be right all the same: what they name may yet be loaded.
struct PatternAdvice {
    private let contracts: [TopicContract]
    /// Topics without a contract; their cases are unknown.
    private let others: [Topic]
    /// Names of modules whose topics were known.
    private let unloaded: [String]

    /// - Parameter status: whose modules handle and emit topics that no contract describes.
    init(_ catalog: ContractCatalog, _ status: ClusterStatus) {
        contracts = catalog.topics
        unloaded = (status.unloaded ?? []).map(\.rawValue)
        let described = Set(contracts.map(\.topic))
        others = Set(status.modules.flatMap { $0.handles + $0.emits }).subtracting(described).filter { !$0.isReserved }.sorted()
    }

    /// A line for each pattern that matches no known topic or case, with the nearest that would.
    ///
    /// - Parameter consequence: what becomes of it all the same.
    func lines(_ patterns: [TapPattern], consequence: String = "") -> [String] {
        patterns.filter { !isKnown($0) }.map { pattern in
            "no known topic or case matches '\(pattern)'\(consequence); " + (hint(for: pattern) ?? "`relux effect ls` shows what there is")
        }
    }

    /// The nearest pattern that would match something, or that its module was unloaded; nil when neither is so.
    func hint(for pattern: TapPattern) -> String? {
        let first = pattern.description.prefix { $0 != "." }
        if unloaded.contains(String(first)) { return "\(first) was unloaded: relux module load \(first) brings it back" }
        if let near = nearest(to: pattern) { return NearestName.question([near]) }
        return pattern.description.contains("*") ? nil : NearestName.question(NearestName.spelledOut(pattern.description, among: paths))
    }

    private var paths: [String] { contracts.map(\.topic.rawValue) + others.map(\.rawValue) + ContractCatalog(topics: contracts).paths }

    private func isKnown(_ pattern: TapPattern) -> Bool {
        if pattern == .everything { return true }
        if contracts.contains(where: { contract in contract.cases.contains { pattern.matches(contract.topic, caseName: $0.name) } }) { return true }
        let words = pattern.description.split(separator: ".")
        return others.contains { pattern.matches($0, caseName: words.last == "**" ? "" : String(words.last ?? "")) || pattern.matches($0, caseName: "") }
    }

    /// The pattern with the name before its first wildcard mended.
    func nearest(to pattern: TapPattern) -> String? {
        let words = pattern.description.split(separator: ".").map(String.init)
        let paths = paths
        if words.contains("*"), let end = nearestEnd(of: words, paths) { return end }
        let literals = words.prefix { !$0.contains("*") }
        // Wildcards alone match nothing only when no name has that number of segments.
        guard !literals.isEmpty else { return words.allSatisfy { $0.contains("*") } ? TapPattern.everything.description : nil }
        let beginnings = Set(paths.map { $0.split(separator: ".").prefix(literals.count).joined(separator: ".") }).sorted()
        // A pattern without a wildcard may be a topic, one of its cases, or the beginning of several.
        let isWhole = literals.count == words.count
        guard let found = NearestName.of(literals.joined(separator: "."), among: isWhole ? paths + beginnings : beginnings) else { return nil }
        let rest = isWhole && !paths.contains(found) ? ["**"] : words.dropFirst(literals.count)[...]
        // A pattern that ends with wildcards alone may have too few of them.
        let mended = [rest, rest.allSatisfy { $0.contains("*") } ? ["**"] : rest].map { ([found] + $0).joined(separator: ".") }
        return mended.first { text in text != pattern.description && (try? TapPattern(text)).map(isKnown) == true }
    }

    /// The pattern with the name behind its wildcards mended, when all before it fits.
    private func nearestEnd(of words: [String], _ paths: [String]) -> String? {
        guard let last = words.last, !last.contains("*") else { return nil }
        let ends = paths.compactMap { path -> String? in
            let segments = path.split(separator: ".").map(String.init)
            let fits = segments.count == words.count && zip(words.dropLast(), segments).allSatisfy { $0 == "*" || $0 == $1 }
            return fits ? segments.last : nil
        }
        return NearestName.of(last, among: ends).map { (words.dropLast() + [$0]).joined(separator: ".") }
    }
}
