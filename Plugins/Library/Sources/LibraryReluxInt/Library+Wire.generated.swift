// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import LibraryModels
public import Relux

extension Library.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .signIn(let name, let password):
            writer.open(case: "signIn", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("password")
            try writer.codable(password)
        case .open(let userId):
            writer.open(case: "open", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .refuseLogin(let reason):
            writer.open(case: "refuseLogin", fields: 1)
            writer.key("reason")
            writer.text(reason)
        case .close:
            writer.open(case: "close", fields: 0)
        case .add(let id, let title, let contents):
            writer.open(case: "add", fields: 3)
            writer.key("id")
            writer.text(id)
            writer.key("title")
            writer.text(title)
            writer.key("contents")
            writer.text(contents)
        case .list:
            writer.open(case: "list", fields: 0)
        case .play(let id):
            writer.open(case: "play", fields: 1)
            writer.key("id")
            writer.text(id)
        case .stop:
            writer.open(case: "stop", fields: 0)
        case .delete(let id):
            writer.open(case: "delete", fields: 1)
            writer.key("id")
            writer.text(id)
        case .forgetReader(let userId):
            writer.open(case: "forgetReader", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .loginRequested(let name, let password):
            writer.open(case: "loginRequested", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("password")
            try writer.codable(password)
        case .opened(let userId):
            writer.open(case: "opened", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .played(let file):
            writer.open(case: "played", fields: 1)
            writer.key("file")
            try file.encodeCBOR(into: &writer)
        case .deleted(let file):
            writer.open(case: "deleted", fields: 1)
            writer.key("file")
            try file.encodeCBOR(into: &writer)
        case .authenticationRequired(let userId):
            writer.open(case: "authenticationRequired", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .libraryFailed(let error):
            writer.open(case: "libraryFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("signIn") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("password", in: &fields)
            let password = try reader.codable(Secret<String>.self)
            try reader.close(&fields)
            self = .signIn(name: name, password: password)
        } else if reader.key("open") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .open(userId: userId)
        } else if reader.key("refuseLogin") {
            var fields = try reader.openFields()
            try reader.need("reason", in: &fields)
            let reason = try reader.text()
            try reader.close(&fields)
            self = .refuseLogin(reason: reason)
        } else if reader.key("close") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .close
        } else if reader.key("add") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.need("title", in: &fields)
            let title = try reader.text()
            try reader.need("contents", in: &fields)
            let contents = try reader.text()
            try reader.close(&fields)
            self = .add(id: id, title: title, contents: contents)
        } else if reader.key("list") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .list
        } else if reader.key("play") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.close(&fields)
            self = .play(id: id)
        } else if reader.key("stop") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .stop
        } else if reader.key("delete") {
            var fields = try reader.openFields()
            try reader.need("id", in: &fields)
            let id = try reader.text()
            try reader.close(&fields)
            self = .delete(id: id)
        } else if reader.key("forgetReader") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .forgetReader(userId: userId)
        } else if reader.key("loginRequested") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("password", in: &fields)
            let password = try reader.codable(Secret<String>.self)
            try reader.close(&fields)
            self = .loginRequested(name: name, password: password)
        } else if reader.key("opened") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .opened(userId: userId)
        } else if reader.key("played") {
            var fields = try reader.openFields()
            try reader.need("file", in: &fields)
            let file = try Library.Business.Model.File(cbor: &reader)
            try reader.close(&fields)
            self = .played(file: file)
        } else if reader.key("deleted") {
            var fields = try reader.openFields()
            try reader.need("file", in: &fields)
            let file = try Library.Business.Model.File(cbor: &reader)
            try reader.close(&fields)
            self = .deleted(file: file)
        } else if reader.key("authenticationRequired") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .authenticationRequired(userId: userId)
        } else if reader.key("libraryFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Library.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .libraryFailed(error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Library.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 2 + (userId == nil ? 0 : 1) + (playing == nil ? 0 : 1) + (failure == nil ? 0 : 1))
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
        if let playing {
            writer.key("playing")
            writer.text(playing)
        }
        writer.key("position")
        writer.integer(position)
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("files", in: &fields)
        let files = try reader.list { reader throws(WireError) in try Library.Business.Model.File(cbor: &reader) }
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        let failure = try reader.has("failure", in: &fields) ? Library.Business.Model.Failure(cbor: &reader) : nil
        let playing = try reader.has("playing", in: &fields) ? reader.text() : nil
        try reader.need("position", in: &fields)
        let position = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(userId: userId, files: files, playing: playing, position: position, failure: failure)
    }
}

extension Library.Business.Model.Failure {
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
        let code = try CBORReader.known(Library.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}

extension Library.Business.Model.File {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("title")
        writer.text(title)
        writer.key("fileId")
        writer.text(fileId)
        writer.key("byteCount")
        writer.integer(byteCount)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("title", in: &fields)
        let title = try reader.text()
        try reader.need("fileId", in: &fields)
        let fileId = try reader.text()
        try reader.need("byteCount", in: &fields)
        let byteCount = try reader.integer(Int.self)
        try reader.close(&fields)
        self.init(fileId: fileId, title: title, byteCount: byteCount)
    }
}
