// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import Relux
public import SyncModels

extension Sync.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .start(let userId):
            writer.open(case: "start", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .stop:
            writer.open(case: "stop", fields: 0)
        case .enqueue(let itemValue):
            writer.open(case: "enqueue", fields: 1)
            writer.key("item")
            try itemValue.encodeCBOR(into: &writer)
        case .run:
            writer.open(case: "run", fields: 0)
        case .deleteAll(let userId):
            writer.open(case: "deleteAll", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .completed(let userId, let report):
            writer.open(case: "completed", fields: 2)
            writer.key("report")
            try report.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
        case .syncFailed(let error):
            writer.open(case: "syncFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("start") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .start(userId: userId)
        } else if reader.key("stop") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .stop
        } else if reader.key("enqueue") {
            var fields = try reader.openFields()
            try reader.need("item", in: &fields)
            let itemValue = try Sync.Business.Model.Item(cbor: &reader)
            try reader.close(&fields)
            self = .enqueue(item: itemValue)
        } else if reader.key("run") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .run
        } else if reader.key("deleteAll") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .deleteAll(userId: userId)
        } else if reader.key("completed") {
            var fields = try reader.openFields()
            try reader.need("report", in: &fields)
            let report = try Sync.Business.Model.Report(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .completed(userId: userId, report: report)
        } else if reader.key("syncFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Sync.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .syncFailed(error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Sync.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (userId == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        if let userId {
            writer.key("userId")
            writer.text(userId)
        }
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
        writer.key("waiting")
        writer.integer(waiting)
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        let failure = try reader.has("failure", in: &fields) ? Sync.Business.Model.Failure(cbor: &reader) : nil
        try reader.need("waiting", in: &fields)
        let waiting = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(userId: userId, waiting: waiting, failure: failure)
    }
}

extension Sync.Business.Model.Item {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("id")
        writer.text(id)
        writer.key("isRemoval")
        writer.bool(isRemoval)
        writer.key("collection")
        writer.text(collection)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("id", in: &fields)
        let id = try reader.text()
        try reader.need("isRemoval", in: &fields)
        let isRemoval = try reader.bool()
        try reader.need("collection", in: &fields)
        let collection = try reader.text()
        try reader.close(&fields)
        self.init(collection: collection, id: id, isRemoval: isRemoval)
    }
}

extension Sync.Business.Model.Report {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1)
        writer.key("sent")
        writer.integer(sent)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("sent", in: &fields)
        let sent = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(sent: sent)
    }
}

extension Sync.Business.Model.Failure {
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
        let code = try CBORReader.known(Sync.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}
