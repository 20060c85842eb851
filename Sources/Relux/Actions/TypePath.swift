package import ReluxWire
import Synchronization

extension Relux {
    /// A type's path without its Swift module: `Auth.Business.Effect`, also where the type is declared in an extension.
    ///
    /// - Complexity: computed once per type, then a look-up.
    package static func typePath(of type: Any.Type) -> String {
        let key = ObjectIdentifier(type)
        if let known = typePaths.withLock({ $0[key] }) { return known }
        let path = strippingModule(String(reflecting: type))
        typePaths.withLock { $0[key] = path }
        return path
    }

    // lint:allow state.global: only a cache of a pure function, no behaviour depends on it
    private static let typePaths = Mutex<[ObjectIdentifier: String]>([:])
    // lint:allow state.global: as above
    private static let topics = Mutex<[ObjectIdentifier: Topic]>([:])

    /// The type's path as a name that may travel; what the grammar of names does not know becomes `_`. A path that is too long
    /// gives a topic that every registration refuses, see `Topic.fault(as:)`.
    ///
    /// - Complexity: computed once per type, then a look-up.
    package static func topic(of type: Any.Type) -> Topic {
        let key = ObjectIdentifier(type)
        if let known = topics.withLock({ $0[key] }) { return known }
        let name = wireName(of: type)
        let topic = Topic(rawValue: name) ?? Topic(standingForPath: name)
        topics.withLock { $0[key] = topic }
        return topic
    }

    package static func wireName(of type: Any.Type) -> String {
        String(typePath(of: type).map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" })
    }

    static func strippingModule(_ reflected: String) -> String {
        var components: [Substring] = []
        var depth = 0
        var start = reflected.startIndex
        // A dot inside brackets belongs to a generic argument or to "(extension in Module):".
        for index in reflected.indices {
            switch reflected[index] {
            case "(", "<": depth += 1
            case ")", ">": depth -= 1
            case "." where depth == 0:
                components.append(reflected[start..<index])
                start = reflected.index(after: index)
            default: break
            }
        }
        components.append(reflected[start...])
        // Local types carry "(unknown context at $…)" components, which are addresses and no names.
        let named = components.dropFirst().filter { !$0.hasPrefix("(unknown context") && !$0.hasPrefix("(") }
        return named.isEmpty ? String(components.last ?? "") : named.joined(separator: ".")
    }
}
