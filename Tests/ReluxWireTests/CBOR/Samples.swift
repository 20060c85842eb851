import ReluxTestKit
import ReluxWire

/// A value of every shape that synthesized coding knows.
struct Everything: Codable, Hashable {
    enum Choice: Codable, Hashable {
        case none
        case one(Int)
        case labelled(name: String, UInt64)
        indirect case nested(Choice?)
    }

    enum Colour: String, Codable, Hashable, CaseIterable { case red, green }

    var int: Int, int8: Int8, int16: Int16, int32: Int32, int64: Int64
    var uint: UInt, uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64
    var float: Float, double: Double
    var flag: Bool, text: String
    var optional: String?
    var doubleOptional: [Int?]
    var choice: Choice, colour: Colour
    var dictionary: [String: [Int]]
    var numbered: [Int: String]
    var coloured: [Colour: Choice]
    var set: Set<String>
    var nested: [[Double]]
    var bytes: ByteString
    var sealed: SealedBytes

    init(using random: inout SeededRandom) {
        func integer<I: FixedWidthInteger>(_ type: I.Type) -> I { I(truncatingIfNeeded: random.unsigned()) &- (random.next() & 1 == 0 ? 0 : .max) }
        int = integer(Int.self)
        int8 = integer(Int8.self)
        int16 = integer(Int16.self)
        int32 = integer(Int32.self)
        int64 = integer(Int64.self)
        uint = integer(UInt.self)
        uint8 = integer(UInt8.self)
        uint16 = integer(UInt16.self)
        uint32 = integer(UInt32.self)
        uint64 = integer(UInt64.self)
        float = Float.random(in: -1e9...1e9, using: &random)
        double = Double.random(in: -1e9...1e9, using: &random)
        flag = Bool.random(using: &random)
        text = random.text(upTo: 300)
        optional = Bool.random(using: &random) ? random.text() : nil
        doubleOptional = random.list(upTo: 4) { Bool.random(using: &$0) ? Int(truncatingIfNeeded: $0.next()) : nil }
        choice = Self.choice(using: &random)
        colour = Colour.allCases.randomElement(using: &random) ?? .red
        dictionary = Dictionary(random.list(upTo: 30) { ($0.text(), $0.list(upTo: 3) { $0.count(upTo: 9) }) }) { $1 }
        numbered = Dictionary(random.list(upTo: 30) { (Int(truncatingIfNeeded: $0.unsigned()), $0.text()) }) { $1 }
        coloured = Dictionary(random.list(upTo: 2) { (Colour.allCases.randomElement(using: &$0) ?? .red, Self.choice(using: &$0)) }) { $1 }
        set = Set(random.list(upTo: 20) { $0.text() })
        nested = random.list(upTo: 3) { $0.list(upTo: 3) { Double.random(in: -1...1, using: &$0) } }
        bytes = ByteString(random.bytes())
        sealed = SealedBytes(random.bytes())
    }

    static func choice(using random: inout SeededRandom) -> Choice {
        switch random.count(upTo: 4) {
        case 0: return .none
        case 1: return .one(Int(truncatingIfNeeded: random.next()))
        case 2: return .labelled(name: random.text(), random.unsigned())
        case 3: return .nested(nil)
        default: return .nested(choice(using: &random))
        }
    }
}

enum SampleEffect: Codable, Hashable {
    case logout
    case authSucceeded(userId: String)
    case rename(String, to: String)
    case transfer(amount: Int, to: String, token: SealedBytes, blob: ByteString)
}

class Base: Codable, @unchecked Sendable {
    var name = "base"
}

/// Writes into the map that its superclass writes into too.
final class Shared: Base, @unchecked Sendable {
    var extra = 7
    private enum Keys: CodingKey { case extra }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        extra = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .extra)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try super.encode(to: encoder)
        try container.encode(extra, forKey: .extra)
    }
}

/// Keeps what its superclass writes under `super`.
final class Separate: Base, @unchecked Sendable {
    var extra = 8
    private enum Keys: CodingKey { case extra }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        extra = try container.decode(Int.self, forKey: .extra)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(extra, forKey: .extra)
    }
}

/// Fills two nested containers turn by turn.
struct Interleaved: Codable, Hashable {
    var left = [1, 2], right = ["a": 1, "b": 2]

    private enum Keys: CodingKey { case left, right }
    private enum Letters: String, CodingKey { case a, b }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .left)
        let map = try container.nestedContainer(keyedBy: Letters.self, forKey: .right)
        left = [try list.decode(Int.self), try list.decode(Int.self)]
        right = ["a": try map.decode(Int.self, forKey: .a), "b": try map.decode(Int.self, forKey: .b)]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var map = container.nestedContainer(keyedBy: Letters.self, forKey: .right)
        var list = container.nestedUnkeyedContainer(forKey: .left)
        try list.encode(left[0])
        try map.encode(right["b"], forKey: .b)
        try list.encode(left[1])
        try map.encode(right["a"], forKey: .a)
    }
}
