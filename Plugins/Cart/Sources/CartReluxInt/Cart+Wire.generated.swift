// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import CartModels
public import Relux

extension Cart.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .add(let sku, let quantity):
            writer.open(case: "add", fields: 2)
            writer.key("sku")
            writer.text(sku)
            writer.key("quantity")
            writer.integer(quantity)
        case .remove(let sku):
            writer.open(case: "remove", fields: 1)
            writer.key("sku")
            writer.text(sku)
        case .clear:
            writer.open(case: "clear", fields: 0)
        case .assign(let userId):
            writer.open(case: "assign", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .release:
            writer.open(case: "release", fields: 0)
        case .checkOut(let id):
            writer.open(case: "checkOut", fields: 1)
            writer.key("id")
            writer.text(id)
        case .bought(let id, let userId):
            writer.open(case: "bought", fields: 2)
            writer.key("id")
            writer.text(id)
            writer.key("userId")
            writer.text(userId)
        case .notBought(let id, let userId, let reason):
            writer.open(case: "notBought", fields: 3)
            writer.key("id")
            writer.text(id)
            writer.key("reason")
            writer.text(reason)
            writer.key("userId")
            writer.text(userId)
        case .checkOutRequested(let request):
            writer.open(case: "checkOutRequested", fields: 1)
            writer.key("request")
            try request.encodeCBOR(into: &writer)
        case .cartFailed(let error):
            writer.open(case: "cartFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("add") {
            var fields = try reader.openFields()
            try reader.need("sku", in: &fields)
            let sku = try reader.text()
            try reader.need("quantity", in: &fields)
            let quantity = try reader.integer(Int.self)
            try reader.close(&fields)
            self = .add(sku: sku, quantity: quantity)
        } else if reader.key("remove") {
            var fields = try reader.openFields()
            try reader.need("sku", in: &fields)
            let sku = try reader.text()
            try reader.close(&fields)
            self = .remove(sku: sku)
        } else if reader.key("clear") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .clear
        } else if reader.key("assign") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .assign(userId: userId)
        } else if reader.key("release") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .release
        } else if reader.key("checkOut") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.close(&fields)
            self = .checkOut(id: id)
        } else if reader.key("bought") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .bought(id: id, userId: userId)
        } else if reader.key("notBought") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.need("reason", in: &fields)
            let reason = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .notBought(id: id, userId: userId, reason: reason)
        } else if reader.key("checkOutRequested") {
            var fields = try reader.openFields()
            try reader.need("request", in: &fields)
            let request = try reader.codable(Cart.Business.Model.Request.self)
            try reader.close(&fields)
            self = .checkOutRequested(request: request)
        } else if reader.key("cartFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Cart.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .cartFailed(error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Cart.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2 + (userId == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        writer.key("lines")
        try writer.list(lines) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
        writer.key("total")
        writer.integer(total)
        if let userId {
            writer.key("userId")
            writer.text(userId)
        }
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("lines", in: &fields)
        let lines = try reader.list { reader throws(WireError) in try Cart.Business.Model.Line(cbor: &reader) }
        try reader.need("total", in: &fields)
        let total = try reader.integer(Int64.self)
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        let failure = try reader.has("failure", in: &fields) ? Cart.Business.Model.Failure(cbor: &reader) : nil
        try reader.close(&fields)
        self.userId = userId
        self.lines = lines
        self.total = total
        self.failure = failure
    }
}

extension Cart.Business.Model.Failure {
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
        let code = try CBORReader.known(Cart.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}

extension Cart.Business.Model.Line {
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

extension Cart.Business.Model.Request {
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
}
