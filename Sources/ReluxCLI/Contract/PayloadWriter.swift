import ReluxOutput
import ReluxPack
import ReluxPlugin
import ReluxWire

/// Turns JSON into the bytes of an effect, checked against its contract field by field; secrets are sealed on the way.
struct PayloadWriter {
    /// Seals the CBOR of a secret's value with the cluster's key.
    private let seal: ([UInt8]) throws(CLIError) -> [UInt8]

    init(seal: @escaping ([UInt8]) throws(CLIError) -> [UInt8]) { self.seal = seal }

    /// The payload of the target: `{case: {field: …}}`, or the fields alone for an effect that is a struct.
    ///
    /// - Throws: `usage` naming the field and what it takes; nothing of the value is repeated where it may be a secret.
    func payload(of target: ContractCatalog.Target, from json: JSONValue) throws(CLIError) -> [UInt8] {
        let (name, path) = (target.contract.name, Self.path(of: target))
        guard case .object(let members) = json else {
            throw CLIError(
                .usage, "effect.noObject", "\(path) takes a JSON object, not \(Self.kind(json))",
                hint: Self.example(target))
        }
        let fields = try fields(target.contract.fields, members, at: "", of: path, outer: [:])
        return (name.isEmpty ? fields : .map([.init(.text(name), fields)])).encoded()
    }

    /// Refuses a field that the target does not have, before anybody is asked for its value.
    static func check(field: String, of target: ContractCatalog.Target) throws(CLIError) {
        guard !target.contract.fields.contains(where: { $0.label == field }) else { return }
        throw unknownField(field, at: "", of: path(of: target), target.contract.fields)
    }

    private static func path(of target: ContractCatalog.Target) -> String {
        target.contract.name.isEmpty ? target.topic.rawValue : "\(target.topic).\(target.contract.name)"
    }

    private static func unknownField(_ field: String, at path: String, of effect: String, _ contracts: [FieldContract]) -> CLIError {
        CLIError(
            .usage, "effect.unknownField", "\(effect) has no field '\(path)\(field)'",
            hint: contracts.isEmpty ? "it takes no fields" : NearestName.hint(field, among: contracts.map(\.label)))
    }

    /// A command line that would work, with values to fill in.
    static func example(_ target: ContractCatalog.Target) -> String {
        let name = target.contract.name.isEmpty ? "\(target.topic)" : "\(target.topic).\(target.contract.name)"
        let members = target.contract.fields.filter { !$0.optional }.map { "\"\($0.label)\": <\($0.type)>" }
        return "write it like: relux effect send \(name) '{\(members.joined(separator: ", "))}'"
    }

    private func fields(
        _ contracts: [FieldContract], _ members: [JSONValue.Member], at path: String, of effect: String,
        outer: [String: PayloadShape]
    ) throws(CLIError) -> CBORValue {
        for member in members where !contracts.contains(where: { $0.label == member.key }) {
            throw Self.unknownField(member.key, at: path, of: effect, contracts)
        }
        var pairs: [CBORValue.Pair] = []
        for contract in contracts {
            let name = path + contract.label
            guard let member = members.first(where: { $0.key == contract.label }), member.value != .null else {
                if contract.optional { continue }
                throw CLIError(
                    .usage, "effect.missingField", "\(effect) needs the field '\(name)' of type \(contract.type)",
                    hint: "give it in the JSON" + (contract.shape?.kind == .sealed && path.isEmpty ? ", or by --secret \(name)" : ""))
            }
            let value = try value(
                member.value, contract.shape, TypeText(contract.type), in: contract.type, at: name, of: effect, outer: outer)
            pairs.append(.init(.text(contract.label), value))
        }
        return .map(pairs)
    }

    private func value(
        _ json: JSONValue, _ shape: PayloadShape?, _ type: TypeText, in declared: String, at path: String,
        of effect: String, outer: [String: PayloadShape]
    ) throws(CLIError) -> CBORValue {
        // Its coding is the type's own affair: nobody outside can check it.
        guard let shape else { return CBORValue(json) }
        func mismatch(_ expected: String) -> CLIError {
            CLIError(
                .usage, Self.wrongType, "the field '\(path)' of \(effect) takes \(expected), not \(Self.kind(json))",
                hint: "its type is \(declared)")
        }
        var outer = outer
        if let name = shape.type { outer[name] = shape }
        switch shape.kind {
        case .text:
            guard case .string(let text) = json else { throw mismatch("a text") }
            try Self.check(text, shape, at: path, of: effect)
            return .text(text)
        case .int:
            guard case .integer(let number) = json, let range = Self.range(of: type) else { throw mismatch("a whole number, without a fraction or an exponent") }
            guard range.contains(number) else { throw mismatch("a whole number from \(range.lowerBound) to \(range.upperBound)") }
            try Self.check("\(number)", shape, at: path, of: effect)
            return CBORValue(json)
        case .bool:
            guard case .bool(let value) = json else { throw mismatch("true or false") }
            return .bool(value)
        case .double:
            switch json {
            case .number(let value): return .double(value)
            case .integer(let value): return .double(Double(value))
            default: throw mismatch("a number")
            }
        case .bytes:
            guard let text = json.string, let bytes = try? JSON.decode(ByteString.self, from: .string(text)) else {
                throw mismatch("bytes as a text in base64")
            }
            return .bytes(bytes.bytes)
        case .sealed:
            let plain: CBORValue
            do throws(CLIError) {
                plain = try value(json, shape.of.first, Self.inner(type), in: declared, at: path, of: effect, outer: outer)
            } catch where error.code == Self.wrongType {
                throw CLIError(.usage, error.code, Self.withoutValue(error.message), hint: error.hint)
            } catch where error.code == Self.unknownValue {
                // The value that was given is a secret, also when it is none of the type's; the type says which there are.
                throw CLIError(.usage, error.code, "the secret field '\(path)' of \(effect) has no such value", hint: "its type is \(declared)")
            }
            return .tagged(SealedBytes.tag, .bytes(try seal(plain.encoded())))
        case .optional:
            if json == .null { return .null }
            return try value(json, shape.of.first, Self.inner(type), in: declared, at: path, of: effect, outer: outer)
        case .array:
            guard case .array(let elements) = json else { throw mismatch("a list") }
            var values: [CBORValue] = []
            for (index, element) in elements.enumerated() {
                values.append(
                    try value(
                        element, shape.of.first, Self.inner(type), in: declared, at: "\(path)[\(index)]", of: effect,
                        outer: outer))
            }
            return .array(values)
        case .map:
            guard case .object(let members) = json else { throw mismatch("an object") }
            var pairs: [CBORValue.Pair] = []
            for member in members {
                if shape.of.first?.kind == .int, Int64(member.key) == nil { throw mismatch("an object with numbers as keys") }
                if let key = shape.of.first { try Self.check(member.key, key, at: "\(path).\(member.key)", of: effect) }
                let element = try value(
                    member.value, shape.of.last, Self.inner(type), in: declared, at: "\(path).\(member.key)", of: effect,
                    outer: outer)
                pairs.append(.init(.text(member.key), element))
            }
            return .map(pairs)
        case .structure:
            guard case .object(let members) = json else { throw mismatch("an object") }
            return try fields(shape.fields, members, at: path + ".", of: effect, outer: outer)
        case .enumeration: return try enumeration(json, shape, at: path, of: effect, outer: outer, mismatch)
        case .reference:
            guard let name = shape.type, let referred = outer[name], referred.kind != .reference else {
                return CBORValue(json)
            }
            return try value(json, referred, type, in: declared, at: path, of: effect, outer: outer)
        }
    }

    /// `{"case": {"field": …}}`, or the case's name alone when it has no fields.
    private func enumeration(
        _ json: JSONValue, _ shape: PayloadShape, at path: String, of effect: String, outer: [String: PayloadShape],
        _ mismatch: (String) -> CLIError
    ) throws(CLIError) -> CBORValue {
        let name: String
        let members: [JSONValue.Member]
        switch json {
        case .string(let text): (name, members) = (text, [])
        case .object(let object) where object.count == 1:
            guard case .object(let inner) = object[0].value else { throw mismatch("{\"case\": {…}}") }
            (name, members) = (object[0].key, inner)
        default: throw mismatch("a case, as a text or as {\"case\": {…}}")
        }
        guard let found = shape.cases.first(where: { $0.name == name }) else {
            throw CLIError(
                .usage, Self.unknownValue, "the field '\(path)' of \(effect) has no case '\(name)'",
                hint: NearestName.hint(name, among: shape.cases.map(\.name)))
        }
        let fields = try fields(found.fields, members, at: "\(path).\(name).", of: effect, outer: outer)
        return .map([.init(.text(name), fields)])
    }

    private static let unknownValue = "effect.unknownValue"
    private static let wrongType = "effect.wrongType"

    /// Refuses what is none of an enum's raw values.
    private static func check(_ text: String, _ shape: PayloadShape, at path: String, of effect: String) throws(CLIError) {
        guard !shape.values.isEmpty, !shape.values.contains(text) else { return }
        throw CLIError(
            .usage, unknownValue, "the field '\(path)' of \(effect) has no value '\(text)'",
            // A number is never meant for its neighbour.
            hint: shape.kind == .int ? NearestName.list(shape.values) : NearestName.hint(text, among: shape.values))
    }

    /// The same of a secret, whose value nobody is to read.
    private static func withoutValue(_ message: String) -> String {
        message.firstRange(of: ", not the number").map { message[..<$0.lowerBound] + ", not a number" } ?? message
    }

    private static func kind(_ json: JSONValue) -> String {
        switch json {
        case .null: "null"
        case .bool: "a boolean"
        case .integer(let number): "the number \(number)"
        case .number(let number): "the number \(number)"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// The type of a container's contents: `UInt8` for `[UInt8]`, `[String: UInt8]`, `UInt8?`, `Secret<UInt8>` and `Data`.
    private static func inner(_ type: TypeText) -> TypeText {
        switch type {
        case .optional(let inner), .array(let inner), .map(_, let inner): inner
        case .named("Secret", let arguments): arguments.first ?? .other
        case .named("Data", _), .named("Foundation.Data", _): .named("UInt8", arguments: [])
        case .named, .other: .other
        }
    }

    private static func range(of type: TypeText) -> ClosedRange<Int128>? {
        guard case .named(let name, _) = type else { return range(of: "") }
        return range(of: name.hasPrefix("Swift.") ? String(name.dropFirst(6)) : name)
    }

    private static func range(of name: String) -> ClosedRange<Int128>? {
        switch name {
        case "UInt8": 0...Int128(UInt8.max)
        case "UInt16": 0...Int128(UInt16.max)
        case "UInt32": 0...Int128(UInt32.max)
        case "UInt", "UInt64": 0...Int128(UInt64.max)
        case "Int8": Int128(Int8.min)...Int128(Int8.max)
        case "Int16": Int128(Int16.min)...Int128(Int16.max)
        case "Int32": Int128(Int32.min)...Int128(Int32.max)
        case "Int", "Int64": Int128(Int64.min)...Int128(Int64.max)
        // A type of the module's own with a number as its raw value.
        default: -Int128(UInt64.max) - 1...Int128(UInt64.max)
        }
    }
}
