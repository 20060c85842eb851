import Relux
import ReluxWire

/// A decimal digit as a type: a thousand effect types are made of three.
protocol SoakDigit: Sendable { static var digit: Int { get } }
enum D0: SoakDigit { static let digit = 0 }
enum D1: SoakDigit { static let digit = 1 }
enum D2: SoakDigit { static let digit = 2 }
enum D3: SoakDigit { static let digit = 3 }
enum D4: SoakDigit { static let digit = 4 }
enum D5: SoakDigit { static let digit = 5 }
enum D6: SoakDigit { static let digit = 6 }
enum D7: SoakDigit { static let digit = 7 }
enum D8: SoakDigit { static let digit = 8 }
enum D9: SoakDigit { static let digit = 9 }

protocol SoakEffect: Relux.Effect {
    static func make(_ number: Int) -> Self
}

enum Said<A: SoakDigit, B: SoakDigit, C: SoakDigit>: SoakEffect {
    case said(Int)
    static func make(_ number: Int) -> Self { .said(number) }
    static var wireTopic: Topic { Topic(rawValue: "Soak.Topic\(A.digit)\(B.digit)\(C.digit)") ?? "Soak" }
}

enum SoakTopics {
    private static let digits: [any SoakDigit.Type] = [D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self]
    private static func type<A: SoakDigit, B: SoakDigit, C: SoakDigit>(_: A.Type, _: B.Type, _: C.Type) -> any SoakEffect.Type { Said<A, B, C>.self }

    /// A thousand types, each with a topic of its own.
    static let types: [any SoakEffect.Type] = digits.flatMap { a in digits.flatMap { b in digits.map { c in type(a, b, c) } } }
}
