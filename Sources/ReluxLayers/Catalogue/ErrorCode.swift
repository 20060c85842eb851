/// One rule that can be broken, or one kind of failure: its stable name, what it means, and what to do.
///
/// Every code that a program of the cluster prints, or a result carries, stands in the ``catalogue``; `relux explain CODE` reads it.
package struct ErrorCode: Hashable, Sendable {
    /// As it is printed.
    package let id: String
    /// Why the rule is there, or what has happened.
    package let why: String
    package let remedy: String
    /// The page that tells more, from the root of the repository; empty when there is none.
    package let page: String

    package init(_ id: String, why: String, remedy: String, page: String = "") {
        self.id = id
        self.why = why
        self.remedy = remedy
        self.page = page
    }

    package static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// By what they are about.
    package static let groups: [(title: String, codes: [ErrorCode])] = [
        ("Layers, in sources and in libraries", layering + linking),
        ("Modules", orchestration + state + checking),
        ("Packing", packing),
        ("Loading", loading),
        ("Membership and upgrades", membership),
        ("Clients and commands", clients),
        ("Hosts", hosts),
        ("Commands", commands),
        ("Effects and their results", effects),
        ("Containers", containers),
    ]

    package static let catalogue: [ErrorCode] = groups.flatMap(\.codes)

    /// The codes that are meant by a text: the whole name, or the end of it behind a dot; capitals do not count.
    package static func meant(by text: String) -> [ErrorCode] {
        // The command line puts a word before what the broker has refused.
        let wanted = text.lowercased().hasPrefix("refused.") ? String(text.lowercased().dropFirst("refused.".count)) : text.lowercased()
        if let whole = catalogue.first(where: { $0.id.lowercased() == wanted }) { return [whole] }
        return catalogue.filter { $0.id.lowercased().hasSuffix("." + wanted) }
    }
}
