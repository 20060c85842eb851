// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import PaymentModels
public import Relux

extension Payment.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .capture(let orderId, let amount, let payer):
            writer.open(case: "capture", fields: 3)
            writer.key("payer")
            writer.text(payer)
            writer.key("amount")
            writer.integer(amount)
            writer.key("orderId")
            writer.text(orderId)
        case .refund(let orderId, let userId, let reason):
            writer.open(case: "refund", fields: 3)
            writer.key("reason")
            writer.text(reason)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .acknowledge(let orderId, let userId):
            writer.open(case: "acknowledge", fields: 2)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .retryRefunds:
            writer.open(case: "retryRefunds", fields: 0)
        case .captured(let receipt):
            writer.open(case: "captured", fields: 1)
            writer.key("receipt")
            try receipt.encodeCBOR(into: &writer)
        case .paymentFailed(let orderId, let userId, let error):
            writer.open(case: "paymentFailed", fields: 3)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .refunded(let orderId, let userId, let amount):
            writer.open(case: "refunded", fields: 3)
            writer.key("amount")
            writer.integer(amount)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .refundFailed(let orderId, let userId, let error):
            writer.open(case: "refundFailed", fields: 3)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("capture") {
            var fields = try reader.openFields()
            try reader.need("payer", in: &fields)
            let payer = try reader.text()
            try reader.need("amount", in: &fields)
            let amount = try reader.integer(Int64.self)
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .capture(orderId: orderId, amount: amount, payer: payer)
        } else if reader.key("refund") {
            var fields = try reader.openFields()
            try reader.need("reason", in: &fields)
            let reason = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .refund(orderId: orderId, userId: userId, reason: reason)
        } else if reader.key("acknowledge") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .acknowledge(orderId: orderId, userId: userId)
        } else if reader.key("retryRefunds") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .retryRefunds
        } else if reader.key("captured") {
            var fields = try reader.openFields()
            try reader.need("receipt", in: &fields)
            let receipt = try Payment.Business.Model.Receipt(cbor: &reader)
            try reader.close(&fields)
            self = .captured(receipt: receipt)
        } else if reader.key("paymentFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Payment.Business.Model.Failure(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .paymentFailed(orderId: orderId, userId: userId, error: error)
        } else if reader.key("refunded") {
            var fields = try reader.openFields()
            try reader.need("amount", in: &fields)
            let amount = try reader.integer(Int64.self)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .refunded(orderId: orderId, userId: userId, amount: amount)
        } else if reader.key("refundFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Payment.Business.Model.Failure(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .refundFailed(orderId: orderId, userId: userId, error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Payment.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (failure == nil ? 0 : 1))
        writer.key("due")
        try writer.list(due) { writer, item throws(WireError) in writer.text(item) }
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("due", in: &fields)
        let due = try reader.list { reader throws(WireError) in try reader.text() }
        let failure = try reader.has("failure", in: &fields) ? Payment.Business.Model.Failure(cbor: &reader) : nil
        try reader.close(&fields)
        self.init(due: due, failure: failure)
    }
}

extension Payment.Business.Model.Failure {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("code")
        writer.integer(code.rawValue)
        writer.key("message")
        writer.text(message)
        writer.key("mayHaveCaptured")
        writer.bool(mayHaveCaptured)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("code", in: &fields)
        let code = try CBORReader.known(Payment.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.need("mayHaveCaptured", in: &fields)
        let mayHaveCaptured = try reader.bool()
        try reader.close(&fields)
        self.init(code: code, message: message, mayHaveCaptured: mayHaveCaptured)
    }
}

extension Payment.Business.Model.Receipt {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 4)
        writer.key("id")
        writer.text(id)
        writer.key("payer")
        writer.text(payer)
        writer.key("amount")
        writer.integer(amount)
        writer.key("orderId")
        writer.text(orderId)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("id", in: &fields)
        let id = try reader.text()
        try reader.need("payer", in: &fields)
        let payer = try reader.text()
        try reader.need("amount", in: &fields)
        let amount = try reader.integer(Int64.self)
        try reader.need("orderId", in: &fields)
        let orderId = try reader.text()
        try reader.close(&fields)
        self.init(id: id, orderId: orderId, payer: payer, amount: amount)
    }
}
