import Relux

/// The domain that is measured: four cases of different shape, each of 128 bytes in CBOR.
enum Bench {
    enum Business {
        enum Effect: Relux.Effect {
            case saved(number: UInt64, title: String, body: String)
            case moved(number: UInt64, x: Double, y: Double, note: String)
            case tagged(number: UInt64, tags: [String], text: String)
            case flagged(number: UInt64, isOn: Bool, reason: String?, text: String)
        }

        enum Action: Relux.Action {
            case counted(UInt64)
        }
    }
}

extension Bench.Business.Effect {
    static let payloadByteCount = 128
    static let caseCount: UInt64 = 4

    var number: UInt64 {
        switch self {
        case .saved(let number, _, _), .moved(let number, _, _, _), .tagged(let number, _, _), .flagged(let number, _, _, _): number
        }
    }
}

/// Makes effects with numbers; the cases take turns.
struct EffectMaker: Sendable {
    /// The text that fills the payload up, for each case.
    private let padding: [String]
    /// Numbers start here, so that each takes nine bytes.
    static let origin: UInt64 = 1 << 32

    /// - Throws: when an effect cannot be filled up to exactly 128 bytes.
    init() throws {
        padding = try (0..<Bench.Business.Effect.caseCount).map { shape in
            let bare = try CBOR.encode(Self.effect(shape, text: "")).count
            // A text of 24 bytes or more has a head of two bytes.
            let wanted = Bench.Business.Effect.payloadByteCount - bare
            let text = String(repeating: "x", count: wanted >= 25 ? wanted - 1 : wanted)
            guard try CBOR.encode(Self.effect(shape, text: text)).count == Bench.Business.Effect.payloadByteCount else {
                throw BenchError("case \(shape) cannot be made 128 bytes long")
            }
            return text
        }
    }

    func effect(_ number: UInt64) -> Bench.Business.Effect {
        Self.effect(number, text: padding[Int(number % Bench.Business.Effect.caseCount)])
    }

    private static func effect(_ number: UInt64, text: String) -> Bench.Business.Effect {
        let wire = origin + number
        return switch number % Bench.Business.Effect.caseCount {
        case 0: .saved(number: wire, title: "title", body: text)
        case 1: .moved(number: wire, x: 0.5, y: -1.25, note: text)
        case 2: .tagged(number: wire, tags: ["a", "bc", "def"], text: text)
        default: .flagged(number: wire, isOn: true, reason: nil, text: text)
        }
    }
}

/// The reason why a measurement could not be made.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
