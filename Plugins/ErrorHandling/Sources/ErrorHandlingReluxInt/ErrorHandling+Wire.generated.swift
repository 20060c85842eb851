// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import ErrorHandlingModels
public import Relux

extension ErrorHandling.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .track(let error):
            writer.open(case: "track", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        case .clear:
            writer.open(case: "clear", fields: 0)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("track") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try reader.codable(ErrorHandling.Business.Model.TrackedError.self)
            try reader.close(&fields)
            self = .track(error: error)
        } else if reader.key("clear") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .clear
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension ErrorHandling.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2)
        writer.key("total")
        writer.integer(total)
        writer.key("entries")
        try writer.list(entries) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("total", in: &fields)
        let total = try reader.integer(Int.self)
        try reader.need("entries", in: &fields)
        let entries = try reader.list { reader throws(WireError) in try ErrorHandling.Business.Model.Entry(cbor: &reader) }
        try reader.close(&fields)
        self.init(entries: entries, total: total)
    }
}

extension ErrorHandling.Business.Model.TrackedError {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("code")
        writer.integer(code)
        writer.key("domain")
        writer.text(domain)
        writer.key("message")
        writer.text(message)
    }
}

extension ErrorHandling.Business.Model.Entry {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2)
        writer.key("error")
        try error.encodeCBOR(into: &writer)
        writer.key("trackedAt")
        writer.integer(trackedAt)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("error", in: &fields)
        let error = try reader.codable(ErrorHandling.Business.Model.TrackedError.self)
        try reader.need("trackedAt", in: &fields)
        let trackedAt = try reader.integer(Int64.self)
        try reader.close(&fields)
        self.init(error: error, trackedAt: trackedAt)
    }
}
