extension CBORValue {
    /// This value the way that Swift would write it, for people.
    ///
    /// An enum is `authSucceeded(userId: "u1")` or `logout`, a struct `(a: 1, b: "x")`, an unlabelled value (`_0`) has no label, a sealed
    /// one is `•••`, a byte string `<12 bytes>`. Types are not known here: a struct whose only field is a struct reads like an enum.
    /// - Parameter textLimit: Characters of a text that are shown; the rest is cut to `…`.
    public func swiftDescription(textLimit: Int = 64) -> String {
        var text = ""
        describe(to: &text, textLimit: max(0, textLimit))
        return text
    }

    private func describe(to text: inout String, textLimit: Int) {
        switch self {
        case .unsigned(let value): text += "\(value)"
        case .negative(let argument): text += "\(-1 - Int128(argument))"
        case .bytes(let bytes): text += "<\(bytes.count) bytes>"
        case .text(let value): text += Self.literal(value, limit: textLimit)
        case .array(let elements):
            text += "["
            Self.list(elements, to: &text) { $0.describe(to: &$1, textLimit: textLimit) }
            text += "]"
        case .map(let pairs): Self.describe(pairs, to: &text, textLimit: textLimit)
        case .tagged(SealedBytes.tag, _): text += Self.sealedMark
        case .tagged(let number, let value):
            text += "#\(number) "
            value.describe(to: &text, textLimit: textLimit)
        case .bool(let value): text += "\(value)"
        case .null: text += "nil"
        case .float(let value): text += "\(value)"
        case .double(let value): text += "\(value)"
        }
    }

    /// The mark that stands for a secret wherever people look.
    public static let sealedMark = "•••"

    private static func describe(_ pairs: [Pair], to text: inout String, textLimit: Int) {
        let isLabelled = pairs.allSatisfy { $0.key.identifier != nil }
        if pairs.count == 1, let name = pairs[0].key.identifier, case .map(let values) = pairs[0].value,
            values.allSatisfy({ $0.key.identifier != nil })
        {
            text += name
            if !values.isEmpty { describeFields(values, to: &text, textLimit: textLimit) }
        } else if isLabelled {
            describeFields(pairs, to: &text, textLimit: textLimit)
        } else {
            text += "["
            list(pairs, to: &text) { pair, text in
                pair.key.describe(to: &text, textLimit: textLimit)
                text += ": "
                pair.value.describe(to: &text, textLimit: textLimit)
            }
            text += "]"
        }
    }

    private static func describeFields(_ pairs: [Pair], to text: inout String, textLimit: Int) {
        text += "("
        list(pairs, to: &text) { pair, text in
            if let label = pair.key.identifier, !isPosition(label) { text += "\(label): " }
            pair.value.describe(to: &text, textLimit: textLimit)
        }
        text += ")"
    }

    private static func list<Element>(
        _ elements: [Element], to text: inout String, _ describe: (Element, inout String) -> Void
    ) {
        for (position, element) in elements.enumerated() {
            if position > 0 { text += ", " }
            describe(element, &text)
        }
    }

    /// The key when Swift could have it as a label.
    private var identifier: String? {
        guard case .text(let name) = self, let first = name.unicodeScalars.first else { return nil }
        let isName = name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
        return isName && (first == "_" || first.properties.isXIDStart) ? name : nil
    }

    private static func isPosition(_ label: String) -> Bool {
        label.utf8.count > 1 && label.utf8.first == UInt8(ascii: "_")
            && label.utf8.dropFirst().allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }

    private static func literal(_ value: String, limit: Int) -> String {
        var text = "\""
        for (position, character) in value.enumerated() {
            guard position < limit else {
                text += "…"
                break
            }
            for scalar in character.unicodeScalars { append(scalar, to: &text) }
        }
        return text + "\""
    }

    /// Escapes what would end the literal or steer a terminal.
    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        switch scalar {
        case "\"", "\\": text += "\\\(scalar)"
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where scalar.isSteering: text += "\\u{\(String(scalar.value, radix: 16))}"
        default: text.unicodeScalars.append(scalar)
        }
    }
}
