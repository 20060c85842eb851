package import Relux

/// The `result` field of a SETTLED record: CBOR of a list of outcomes, nothing at all for a success without a value.
package enum ResultCoding {
    private struct Coded: Codable {
        var handler: String
        var status: Relux.ActionResult.Status
        var value: ByteString?
        var failure: Relux.Failure?
    }

    /// A success without a value.
    private static func isPlain(_ result: Relux.ActionResult) -> Bool {
        // Looked at in place: nearly all are plain, and a copy of an outcome costs a retain for each of its parts.
        result.outcomes.withUnsafeBufferPointer { outcomes in
            outcomes.indices.allSatisfy { index in
                guard outcomes[index].status == .succeeded, case .none = outcomes[index].value, case .none = outcomes[index].failure else { return false }
                return true
            }
        }
    }

    /// A value that cannot be encoded becomes a failure that says so; a settlement is never withheld.
    ///
    /// - Returns: nil for a success without a value.
    package static func encode(_ result: Relux.ActionResult, userInfo: [CodingUserInfoKey: any Sendable]) -> [UInt8]? {
        if isPlain(result) { return nil }
        let coded = result.outcomes.map { outcome -> Coded in
            do {
                return Coded(
                    handler: outcome.recipient.handler, status: outcome.status,
                    value: try outcome.value.map { ByteString(try $0.encoded(userInfo: userInfo)) },
                    failure: outcome.failure)
            } catch {
                return Coded(
                    handler: outcome.recipient.handler, status: .failed, value: nil,
                    failure: .coding("the result of \(outcome.recipient) could not be encoded: \(error)"))
            }
        }
        guard let bytes = try? CBOR.encode(coded) else { return [] }
        guard bytes.count > WireRecord.payloadByteLimit else { return bytes }
        let failure = Relux.Failure.coding(
            "the result has \(bytes.count) bytes, the limit is \(WireRecord.payloadByteLimit); answer with a reference instead")
        return (try? CBOR.encode([Coded(handler: "", status: .failed, value: nil, failure: failure)])) ?? []
    }

    package static func decode(
        _ bytes: ArraySlice<UInt8>, status: SettledRecord.Status, from module: ModuleID,
        userInfo: [CodingUserInfoKey: any Sendable]
    ) -> Relux.ActionResult {
        if bytes.isEmpty {
            return Relux.ActionResult(outcomes: [plain(status, module)])
        }
        do {
            return Relux.ActionResult(
                outcomes: try CBOR.decode([Coded].self, from: bytes).map { coded in
                    .init(
                        recipient: .init(module: module, handler: coded.handler), status: coded.status,
                        value: coded.value.map { .init(encoded: $0.bytes, userInfo: userInfo) }, failure: coded.failure)
                })
        } catch {
            var outcome = plain(.failed, module)
            outcome.failure = .coding("the result of \(module) could not be decoded: \(error)")
            return Relux.ActionResult(outcomes: [outcome])
        }
    }

    /// The result of an effect that its recipient is through with and whose settlement exists nowhere any more.
    package static func resultLost(_ recipient: ModuleID) -> ArraySlice<UInt8> {
        let failure = Relux.Failure(
            domain: "relux", code: "resultLost",
            message: "\(recipient) has settled the effect, and its result was lost with the power; look at what \(recipient) has done",
            details: ["module": recipient.rawValue])
        return ((try? CBOR.encode([Coded(handler: "", status: .failed, value: nil, failure: failure)])) ?? [])[...]
    }

    private static func plain(
        _ status: SettledRecord.Status, _ module: ModuleID
    ) -> Relux.ActionResult.Outcome {
        let recipient = Relux.ActionResult.Recipient(module: module)
        switch status {
        case .succeeded: return .init(recipient: recipient, status: .succeeded)
        case .failed: return .init(recipient: recipient, status: .failed)
        case .lost: return .init(recipient: recipient, status: .lost, failure: .lost(module.rawValue))
        case .refused: return .init(recipient: recipient, status: .refused)
        case .deadLettered: return .init(recipient: recipient, status: .deadLettered)
        }
    }
}
