internal import Foundation
internal import PaymentModels

/// The failure of one attempt.
struct Trouble: Error {
    let code: Payment.Business.Model.Failure.Code
    let why: String
    /// Another attempt may succeed.
    var mayPass = true
    /// The service may have carried the request out.
    var isAmbiguous = true

    init(_ code: Payment.Business.Model.Failure.Code, _ why: String, mayPass: Bool = true, isAmbiguous: Bool = false) {
        self.code = code
        self.why = why
        self.mayPass = mayPass
        self.isAmbiguous = isAmbiguous
    }
}

extension Payment.Business.Service {
    private struct Refusal: Decodable { let error: String }

    func read<Answer: Decodable>(_ outcome: HTTPExchange.Outcome, as type: Answer.Type) -> Result<Answer, Trouble> {
        switch outcome {
        case .timedOut: return .failure(Trouble(.timedOut, "no answer in time", isAmbiguous: true))
        case .unheard(let why): return .failure(Trouble(.unreachable, why))
        case .broken(let why): return .failure(Trouble(.unreachable, why, isAmbiguous: true))
        case .answer(200..<300, let body) where body.count > HTTPExchange.bodyLimit:
            return .failure(Trouble(.unexpectedAnswer, "an answer of more than \(HTTPExchange.bodyLimit) bytes", isAmbiguous: true))
        case .answer(200..<300, let body):
            guard let answer = try? JSONDecoder().decode(type, from: body) else {
                return .failure(Trouble(.unexpectedAnswer, "an answer of \(body.count) bytes that is not what was asked for", isAmbiguous: true))
            }
            return .success(answer)
        case .answer(let status, let body):
            let said = (try? JSONDecoder().decode(Refusal.self, from: body))?.error.cut(to: 200) ?? "no word why"
            switch status {
            case 402: return .failure(Trouble(.declined, "declined: \(said)", mayPass: false))
            case 408, 429: return .failure(Trouble(.unavailable, "status \(status): \(said)"))
            case 400..<500: return .failure(Trouble(.rejected, "status \(status): \(said)", mayPass: false))
            default: return .failure(Trouble(.unavailable, "status \(status): \(said)", isAmbiguous: true))
            }
        }
    }
}

extension String {
    /// The whole characters (scalars: a visible one has no limit) within `byteLimit` bytes of UTF-8.
    func cut(to byteLimit: Int) -> String {
        guard var end = utf8.index(startIndex, offsetBy: byteLimit, limitedBy: endIndex) else { return self }
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
