// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import AuthModels
public import Relux

extension Auth.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .register(let name, let password):
            writer.open(case: "register", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("password")
            try writer.codable(password)
        case .login(let name, let password):
            writer.open(case: "login", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("password")
            try writer.codable(password)
        case .logout:
            writer.open(case: "logout", fields: 0)
        case .runLogoutFlow:
            writer.open(case: "runLogoutFlow", fields: 0)
        case .forceReauthentication:
            writer.open(case: "forceReauthentication", fields: 0)
        case .validateSession:
            writer.open(case: "validateSession", fields: 0)
        case .deleteAccount:
            writer.open(case: "deleteAccount", fields: 0)
        case .authSucceeded(let userId):
            writer.open(case: "authSucceeded", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .authFailed(let error):
            writer.open(case: "authFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        case .loggedOut:
            writer.open(case: "loggedOut", fields: 0)
        case .accountDeleted(let userId):
            writer.open(case: "accountDeleted", fields: 1)
            writer.key("userId")
            writer.text(userId)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("register") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("password", in: &fields)
            let password = try reader.codable(Secret<String>.self)
            try reader.close(&fields)
            self = .register(name: name, password: password)
        } else if reader.key("login") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("password", in: &fields)
            let password = try reader.codable(Secret<String>.self)
            try reader.close(&fields)
            self = .login(name: name, password: password)
        } else if reader.key("logout") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .logout
        } else if reader.key("runLogoutFlow") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .runLogoutFlow
        } else if reader.key("forceReauthentication") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .forceReauthentication
        } else if reader.key("validateSession") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .validateSession
        } else if reader.key("deleteAccount") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .deleteAccount
        } else if reader.key("authSucceeded") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .authSucceeded(userId: userId)
        } else if reader.key("authFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Auth.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .authFailed(error: error)
        } else if reader.key("loggedOut") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .loggedOut
        } else if reader.key("accountDeleted") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .accountDeleted(userId: userId)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Auth.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (userId == nil ? 0 : 1) + (name == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        if let name {
            writer.key("name")
            writer.text(name)
        }
        if let userId {
            writer.key("userId")
            writer.text(userId)
        }
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
        writer.key("isAuthenticated")
        writer.bool(isAuthenticated)
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        let name = try reader.has("name", in: &fields) ? reader.text() : nil
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        let failure = try reader.has("failure", in: &fields) ? Auth.Business.Model.Failure(cbor: &reader) : nil
        try reader.need("isAuthenticated", in: &fields)
        let isAuthenticated = try reader.bool()
        try reader.close(&fields)
        self.init(isAuthenticated: isAuthenticated, userId: userId, name: name, failure: failure)
    }
}

extension Auth.Business.Model.Failure {
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
        let code = try CBORReader.known(Auth.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}
