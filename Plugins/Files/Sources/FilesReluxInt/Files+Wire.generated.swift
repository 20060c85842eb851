// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import FilesModels
public import Relux

extension Files.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .open(let userId):
            writer.open(case: "open", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .close:
            writer.open(case: "close", fields: 0)
        case .save(let name, let text):
            writer.open(case: "save", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("text")
            writer.text(text)
        case .read(let name):
            writer.open(case: "read", fields: 1)
            writer.key("name")
            writer.text(name)
        case .remove(let name):
            writer.open(case: "remove", fields: 1)
            writer.key("name")
            writer.text(name)
        case .deleteAll(let userId):
            writer.open(case: "deleteAll", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .saved(let file, let userId):
            writer.open(case: "saved", fields: 2)
            writer.key("file")
            try file.encodeCBOR(into: &writer)
            writer.key("userId")
            writer.text(userId)
        case .removed(let name, let userId):
            writer.open(case: "removed", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("userId")
            writer.text(userId)
        case .filesFailed(let error):
            writer.open(case: "filesFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("open") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .open(userId: userId)
        } else if reader.key("close") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .close
        } else if reader.key("save") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("text", in: &fields)
            let text = try reader.text()
            try reader.close(&fields)
            self = .save(name: name, text: text)
        } else if reader.key("read") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.close(&fields)
            self = .read(name: name)
        } else if reader.key("remove") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.close(&fields)
            self = .remove(name: name)
        } else if reader.key("deleteAll") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .deleteAll(userId: userId)
        } else if reader.key("saved") {
            var fields = try reader.openFields()
            try reader.need("file", in: &fields)
            let file = try Files.Business.Model.File(cbor: &reader)
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .saved(file: file, userId: userId)
        } else if reader.key("removed") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .removed(name: name, userId: userId)
        } else if reader.key("filesFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Files.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .filesFailed(error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Files.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (userId == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        writer.key("files")
        try writer.list(files) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
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
        try reader.need("files", in: &fields)
        let files = try reader.list { reader throws(WireError) in try Files.Business.Model.File(cbor: &reader) }
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        let failure = try reader.has("failure", in: &fields) ? Files.Business.Model.Failure(cbor: &reader) : nil
        try reader.close(&fields)
        self.init(userId: userId, files: files, failure: failure)
    }
}

extension Files.Business.Model.Failure {
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
        let code = try CBORReader.known(Files.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}

extension Files.Business.Model.File {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2)
        writer.key("name")
        writer.text(name)
        writer.key("size")
        writer.integer(size)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("name", in: &fields)
        let name = try reader.text()
        try reader.need("size", in: &fields)
        let size = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(name: name, size: size)
    }
}
