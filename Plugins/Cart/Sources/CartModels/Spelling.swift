extension StringProtocol {
    /// Compares bytes: `é` and `e` followed by an accent are one text for Swift, and two ids.
    public func isSpelled(like other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Pieces by article. It is stored as an object of numbers by article.
public struct PiecesByArticle: Sendable, Equatable {
    private var pieces: [[UInt8]: Int] = [:]

    public init(_ lines: [Cart.Business.Model.Line] = []) {
        for line in lines { self[line.sku] = line.quantity }
    }

    public subscript(sku: String) -> Int? {
        get { pieces[Array(sku.utf8)] }
        set { pieces[Array(sku.utf8)] = newValue }
    }

    public var isEmpty: Bool { pieces.isEmpty }
    /// In no order.
    public var all: [(sku: String, quantity: Int)] { pieces.map { (String(decoding: $0.key, as: UTF8.self), $0.value) } }
}

extension PiecesByArticle: Codable {
    /// An object keeps only one of two spellings of one text: the second in byte order follows this mark, in hexadecimal.
    private static let mark = "\u{0}utf8:"

    public init(from decoder: any Decoder) throws {
        for (key, quantity) in try [String: Int](from: decoder) {
            guard key.hasPrefix(Self.mark) else {
                self[key] = quantity
                continue
            }
            let digits = Array(key.dropFirst(Self.mark.count))
            pieces[stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }] = quantity
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var stored: [String: Int] = [:]
        for (key, quantity) in pieces.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let text = String(decoding: key, as: UTF8.self)
            let isTaken = stored[text] != nil || text.hasPrefix(Self.mark)
            stored[isTaken ? Self.mark + key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() : text] = quantity
        }
        try stored.encode(to: encoder)
    }
}
