// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import NotesModels
public import Relux

extension Notes.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .upsert(let id, let title, let body):
            writer.open(case: "upsert", fields: 3)
            writer.key("id")
            writer.text(id)
            writer.key("body")
            writer.text(body)
            writer.key("title")
            writer.text(title)
        case .delete(let id):
            writer.open(case: "delete", fields: 1)
            writer.key("id")
            writer.text(id)
        case .list:
            writer.open(case: "list", fields: 0)
        case .search(let query):
            writer.open(case: "search", fields: 1)
            writer.key("query")
            writer.text(query)
        case .sync(let context):
            writer.open(case: "sync", fields: 1)
            writer.key("context")
            try context.encodeCBOR(into: &writer)
        case .close:
            writer.open(case: "close", fields: 0)
        case .deleteAll(let userId):
            writer.open(case: "deleteAll", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .upserted(let note):
            writer.open(case: "upserted", fields: 1)
            writer.key("note")
            try note.encodeCBOR(into: &writer)
        case .deleted(let id):
            writer.open(case: "deleted", fields: 1)
            writer.key("id")
            writer.text(id)
        case .synced(let userId, let report):
            writer.open(case: "synced", fields: 2)
            writer.key("report")
            try report.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
        case .notesFailed(let error):
            writer.open(case: "notesFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("upsert") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.need("body", in: &fields)
            let body = try reader.text()
            try reader.need("title", in: &fields)
            let title = try reader.text()
            try reader.close(&fields)
            self = .upsert(id: id, title: title, body: body)
        } else if reader.key("delete") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.close(&fields)
            self = .delete(id: id)
        } else if reader.key("list") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .list
        } else if reader.key("search") {
            var fields = try reader.openFields()
            try reader.need("query", in: &fields)
            let query = try reader.text()
            try reader.close(&fields)
            self = .search(query: query)
        } else if reader.key("sync") {
            var fields = try reader.openFields()
            try reader.need("context", in: &fields)
            let context = try Notes.Business.Model.SyncContext(cbor: &reader)
            try reader.close(&fields)
            self = .sync(context: context)
        } else if reader.key("close") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .close
        } else if reader.key("deleteAll") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .deleteAll(userId: userId)
        } else if reader.key("upserted") {
            var fields = try reader.openFields()
            try reader.need("note", in: &fields)
            let note = try Notes.Business.Model.Note(cbor: &reader)
            try reader.close(&fields)
            self = .upserted(note: note)
        } else if reader.key("deleted") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.close(&fields)
            self = .deleted(id: id)
        } else if reader.key("synced") {
            var fields = try reader.openFields()
            try reader.need("report", in: &fields)
            let report = try Notes.Business.Model.SyncReport(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .synced(userId: userId, report: report)
        } else if reader.key("notesFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Notes.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .notesFailed(error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Notes.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2 + (userId == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        writer.key("found")
        try writer.list(found) { writer, item throws(WireError) in writer.text(item) }
        if let userId {
            writer.key("userId")
            writer.text(userId)
        }
        writer.key("entries")
        try writer.list(entries) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("found", in: &fields)
        let found = try reader.list { reader throws(WireError) in try reader.text() }
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        try reader.need("entries", in: &fields)
        let entries = try reader.list { reader throws(WireError) in try Notes.Business.Snapshot.Entry(cbor: &reader) }
        let failure = try reader.has("failure", in: &fields) ? Notes.Business.Model.Failure(cbor: &reader) : nil
        try reader.close(&fields)
        self.init(userId: userId, entries: entries, found: found, failure: failure)
    }
}

extension Notes.Business.Snapshot.Entry {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2)
        writer.key("id")
        writer.text(id)
        writer.key("title")
        writer.text(title)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("id", in: &fields)
        let id = try reader.text()
        try reader.need("title", in: &fields)
        let title = try reader.text()
        try reader.close(&fields)
        self.init(id: id, title: title)
    }
}

extension Notes.Business.Model.Failure {
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
        let code = try CBORReader.known(Notes.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}

extension Notes.Business.Model.Note {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 4)
        writer.key("id")
        writer.text(id)
        writer.key("body")
        writer.text(body)
        writer.key("title")
        writer.text(title)
        writer.key("revision")
        writer.integer(revision)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("id", in: &fields)
        let id = try reader.text()
        try reader.need("body", in: &fields)
        let body = try reader.text()
        try reader.need("title", in: &fields)
        let title = try reader.text()
        try reader.need("revision", in: &fields)
        let revision = try reader.integer(Int64.self)
        try reader.close(&fields)
        self.init(id: id, title: title, body: body, revision: revision)
    }
}

extension Notes.Business.Model.SyncContext {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (userId == nil ? 0 : 1))
        if let userId {
            writer.key("userId")
            writer.text(userId)
        }
        writer.key("isAuthenticated")
        writer.bool(isAuthenticated)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        try reader.need("isAuthenticated", in: &fields)
        let isAuthenticated = try reader.bool()
        try reader.close(&fields)
        self.init(isAuthenticated: isAuthenticated, userId: userId)
    }
}

extension Notes.Business.Model.SyncReport {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2)
        writer.key("pulled")
        writer.integer(pulled)
        writer.key("pushed")
        writer.integer(pushed)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("pulled", in: &fields)
        let pulled = try reader.integer(Int.self)
        try reader.need("pushed", in: &fields)
        let pushed = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(pushed: pushed, pulled: pulled)
    }
}
