extension WireError {
    /// Whatever `encode(to:)` threw, as one of ours.
    init(encoding error: any Error, of type: Any.Type) {
        if let error = error as? WireError {
            self = error
        } else if case .invalidValue(let value, let context)? = error as? EncodingError {
            self.init(.codableFailed, "\(type) cannot be encoded: \(context.debugDescription) (a \(Swift.type(of: value)))")
        } else {
            self.init(.codableFailed, "\(type) cannot be encoded: its encode(to:) threw \(error)")
        }
    }

    /// Whatever `init(from:)` threw, as one of ours.
    init(decoding error: any Error, of type: Any.Type) {
        if let error = error as? WireError {
            self = error
            return
        }
        guard let error = error as? DecodingError else {
            self.init(.codableFailed, "\(type) cannot be decoded: its init(from:) threw \(error)")
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(.missingField, "\(type) needs the field \(Self.path(context.codingPath + [key])), which is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(.typeMismatch, "\(type)\(Self.place(context)): \(context.debugDescription)")
        case .dataCorrupted(let context):
            self.init(.codableFailed, "\(type)\(Self.place(context)): \(context.debugDescription)")
        @unknown default:
            self.init(.codableFailed, "\(type) cannot be decoded: \(error)")
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "" : ", field \(path(context.codingPath))"
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        "'" + keys.map(\.stringValue).joined(separator: ".") + "'"
    }
}
