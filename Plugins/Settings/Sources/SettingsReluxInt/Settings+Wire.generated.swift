// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import Relux
public import SettingsModels

extension Settings.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .loadSettings(let userId):
            writer.open(case: "loadSettings", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .set(let key, let value):
            writer.open(case: "set", fields: 2)
            writer.key("key")
            writer.text(key.rawValue)
            writer.key("value")
            writer.text(value)
        case .resetToDefaults:
            writer.open(case: "resetToDefaults", fields: 0)
        case .forgetSettings(let userId):
            writer.open(case: "forgetSettings", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .showSettings:
            writer.open(case: "showSettings", fields: 0)
        case .settingsLoaded(let userId, let values):
            writer.open(case: "settingsLoaded", fields: 2)
            writer.key("userId")
            writer.text(userId)
            writer.key("values")
            try writer.codable(values)
        case .settingChanged(let userId, let key, let value):
            writer.open(case: "settingChanged", fields: 3)
            writer.key("key")
            writer.text(key.rawValue)
            writer.key("value")
            writer.text(value)
            writer.key("userId")
            writer.text(userId)
        case .settingsFailed(let error):
            writer.open(case: "settingsFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("loadSettings") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .loadSettings(userId: userId)
        } else if reader.key("set") {
            var fields = try reader.openFields()
            try reader.need("key", in: &fields)
            let key = try CBORReader.known(Settings.Business.Model.Key(rawValue: reader.text()))
            try reader.need("value", in: &fields)
            let value = try reader.text()
            try reader.close(&fields)
            self = .set(key: key, value: value)
        } else if reader.key("resetToDefaults") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .resetToDefaults
        } else if reader.key("forgetSettings") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .forgetSettings(userId: userId)
        } else if reader.key("showSettings") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .showSettings
        } else if reader.key("settingsLoaded") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("values", in: &fields)
            let values = try reader.codable([Settings.Business.Model.Key: String].self)
            try reader.close(&fields)
            self = .settingsLoaded(userId: userId, values: values)
        } else if reader.key("settingChanged") {
            var fields = try reader.openFields()
            try reader.need("key", in: &fields)
            let key = try CBORReader.known(Settings.Business.Model.Key(rawValue: reader.text()))
            try reader.need("value", in: &fields)
            let value = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .settingChanged(userId: userId, key: key, value: value)
        } else if reader.key("settingsFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Settings.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .settingsFailed(error: error)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Settings.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1 + (userId == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        if let userId {
            writer.key("userId")
            writer.text(userId)
        }
        writer.key("values")
        try writer.codable(values)
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        let userId = try reader.has("userId", in: &fields) ? reader.text() : nil
        try reader.need("values", in: &fields)
        let values = try reader.codable([Settings.Business.Model.Key: String].self)
        let failure = try reader.has("failure", in: &fields) ? Settings.Business.Model.Failure(cbor: &reader) : nil
        try reader.close(&fields)
        self.init(userId: userId, values: values, failure: failure)
    }
}

extension Settings.Business.Model.Failure {
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
        let code = try CBORReader.known(Settings.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}
