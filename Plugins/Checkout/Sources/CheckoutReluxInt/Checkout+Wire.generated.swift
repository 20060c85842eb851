// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import CheckoutModels
public import Relux

extension Checkout.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .begin(let order):
            writer.open(case: "begin", fields: 1)
            writer.key("order")
            try order.encodeCBOR(into: &writer)
        case .place(let orderId, let userId, let receipt):
            writer.open(case: "place", fields: 3)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
            writer.key("receipt")
            writer.text(receipt)
        case .close(let orderId, let userId, let phase, let reason):
            writer.open(case: "close", fields: 4)
            writer.key("phase")
            writer.text(phase.rawValue)
            writer.key("reason")
            writer.text(reason)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .settle(let orderId, let userId, let amount):
            writer.open(case: "settle", fields: 3)
            writer.key("amount")
            writer.integer(amount)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .cancel(let orderId, let userId, let reason):
            writer.open(case: "cancel", fields: 3)
            writer.key("reason")
            writer.text(reason)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .status(let orderId):
            writer.open(case: "status", fields: 1)
            writer.key("orderId")
            writer.text(orderId)
        case .setStock(let sku, let quantity):
            writer.open(case: "setStock", fields: 2)
            writer.key("sku")
            writer.text(sku)
            writer.key("quantity")
            writer.integer(quantity)
        case .begun(let orderId, let userId, let total):
            writer.open(case: "begun", fields: 3)
            writer.key("total")
            writer.integer(total)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .refused(let orderId, let userId, let error):
            writer.open(case: "refused", fields: 3)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .orderPlaced(let orderId, let userId):
            writer.open(case: "orderPlaced", fields: 2)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .orderFailed(let orderId, let userId, let error):
            writer.open(case: "orderFailed", fields: 3)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        case .settled(let orderId, let userId):
            writer.open(case: "settled", fields: 2)
            writer.key("userId")
            writer.text(userId)
            writer.key("orderId")
            writer.text(orderId)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("begin") {
            var fields = try reader.openFields()
            try reader.need("order", in: &fields)
            let order = try Checkout.Business.Model.Order(cbor: &reader)
            try reader.close(&fields)
            self = .begin(order: order)
        } else if reader.key("place") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.need("receipt", in: &fields)
            let receipt = try reader.text()
            try reader.close(&fields)
            self = .place(orderId: orderId, userId: userId, receipt: receipt)
        } else if reader.key("close") {
            var fields = try reader.openFields()
            try reader.need("phase", in: &fields)
            let phase = try CBORReader.known(Checkout.Business.Model.Phase(rawValue: reader.text()))
            try reader.need("reason", in: &fields)
            let reason = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .close(orderId: orderId, userId: userId, phase: phase, reason: reason)
        } else if reader.key("settle") {
            var fields = try reader.openFields()
            try reader.need("amount", in: &fields)
            let amount = try reader.integer(Int64.self)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .settle(orderId: orderId, userId: userId, amount: amount)
        } else if reader.key("cancel") {
            var fields = try reader.openFields()
            try reader.need("reason", in: &fields)
            let reason = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .cancel(orderId: orderId, userId: userId, reason: reason)
        } else if reader.key("status") {
            var fields = try reader.openFields()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .status(orderId: orderId)
        } else if reader.key("setStock") {
            var fields = try reader.openFields()
            try reader.need("sku", in: &fields)
            let sku = try reader.text()
            try reader.need("quantity", in: &fields)
            let quantity = try reader.integer(Int.self)
            try reader.close(&fields)
            self = .setStock(sku: sku, quantity: quantity)
        } else if reader.key("begun") {
            var fields = try reader.openFields()
            try reader.need("total", in: &fields)
            let total = try reader.integer(Int64.self)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .begun(orderId: orderId, userId: userId, total: total)
        } else if reader.key("refused") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Checkout.Business.Model.Failure(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .refused(orderId: orderId, userId: userId, error: error)
        } else if reader.key("orderPlaced") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .orderPlaced(orderId: orderId, userId: userId)
        } else if reader.key("orderFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Checkout.Business.Model.Failure(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .orderFailed(orderId: orderId, userId: userId, error: error)
        } else if reader.key("settled") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("orderId", in: &fields)
            let orderId = try reader.text()
            try reader.close(&fields)
            self = .settled(orderId: orderId, userId: userId)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Checkout.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (failure == nil ? 0 : 1))
        writer.key("entries")
        try writer.list(entries) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("entries", in: &fields)
        let entries = try reader.list { reader throws(WireError) in try Checkout.Business.Snapshot.Entry(cbor: &reader) }
        let failure = try reader.has("failure", in: &fields) ? Checkout.Business.Model.Failure(cbor: &reader) : nil
        try reader.close(&fields)
        self.init(entries: entries, failure: failure)
    }
}

extension Checkout.Business.Snapshot.Entry {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("phase")
        writer.text(phase.rawValue)
        writer.key("reason")
        writer.text(reason)
        writer.key("orderId")
        writer.text(orderId)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("phase", in: &fields)
        let phase = try CBORReader.known(Checkout.Business.Model.Phase(rawValue: reader.text()))
        try reader.need("reason", in: &fields)
        let reason = try reader.text()
        try reader.need("orderId", in: &fields)
        let orderId = try reader.text()
        try reader.close(&fields)
        self.orderId = orderId
        self.phase = phase
        self.reason = reason
    }
}

extension Checkout.Business.Model.Failure {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2)
        writer.key("code")
        writer.integer(code.rawValue)
        writer.key("message")
        writer.text(message)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("code", in: &fields)
        let code = try CBORReader.known(Checkout.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}

extension Checkout.Business.Model.Order.Line {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("sku")
        writer.text(sku)
        writer.key("quantity")
        writer.integer(quantity)
        writer.key("unitPrice")
        writer.integer(unitPrice)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("sku", in: &fields)
        let sku = try reader.text()
        try reader.need("quantity", in: &fields)
        let quantity = try reader.integer(Int.self)
        try reader.need("unitPrice", in: &fields)
        let unitPrice = try reader.integer(Int64.self)
        try reader.close(&fields)
        self.init(sku: sku, quantity: quantity, unitPrice: unitPrice)
    }
}

extension Checkout.Business.Model.Order {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 4)
        writer.key("id")
        writer.text(id)
        writer.key("lines")
        try writer.list(lines) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
        writer.key("total")
        writer.integer(total)
        writer.key("userId")
        writer.text(userId)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("id", in: &fields)
        let id = try reader.text()
        try reader.need("lines", in: &fields)
        let lines = try reader.list { reader throws(WireError) in try Checkout.Business.Model.Order.Line(cbor: &reader) }
        try reader.need("total", in: &fields)
        let total = try reader.integer(Int64.self)
        try reader.need("userId", in: &fields)
        let userId = try reader.text()
        try reader.close(&fields)
        self.init(id: id, userId: userId, lines: lines, total: total)
    }
}
