// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import ProfileModels
public import Relux

extension Profile.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .fetchProfile(let userId):
            writer.open(case: "fetchProfile", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .updateProfile(let userId, let displayName, let about):
            writer.open(case: "updateProfile", fields: 3)
            writer.key("about")
            writer.text(about)
            writer.key("userId")
            writer.text(userId)
            writer.key("displayName")
            writer.text(displayName)
        case .resetProfile(let userId):
            writer.open(case: "resetProfile", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .deleteProfile(let userId):
            writer.open(case: "deleteProfile", fields: 1)
            writer.key("userId")
            writer.text(userId)
        case .clearProfile:
            writer.open(case: "clearProfile", fields: 0)
        case .profileFetched(let profile):
            writer.open(case: "profileFetched", fields: 1)
            writer.key("profile")
            try profile.encodeCBOR(into: &writer)
        case .profileFetchFailed(let error):
            writer.open(case: "profileFetchFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        case .profileUpdated(let profile):
            writer.open(case: "profileUpdated", fields: 1)
            writer.key("profile")
            try profile.encodeCBOR(into: &writer)
        case .profileUpdateFailed(let error):
            writer.open(case: "profileUpdateFailed", fields: 1)
            writer.key("error")
            try error.encodeCBOR(into: &writer)
        case .profileDeleted(let userId):
            writer.open(case: "profileDeleted", fields: 1)
            writer.key("userId")
            writer.text(userId)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("fetchProfile") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .fetchProfile(userId: userId)
        } else if reader.key("updateProfile") {
            var fields = try reader.openFields()
            try reader.need("about", in: &fields)
            let about = try reader.text()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.need("displayName", in: &fields)
            let displayName = try reader.text()
            try reader.close(&fields)
            self = .updateProfile(userId: userId, displayName: displayName, about: about)
        } else if reader.key("resetProfile") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .resetProfile(userId: userId)
        } else if reader.key("deleteProfile") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .deleteProfile(userId: userId)
        } else if reader.key("clearProfile") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .clearProfile
        } else if reader.key("profileFetched") {
            var fields = try reader.openFields()
            try reader.need("profile", in: &fields)
            let profile = try Profile.Business.Model.UserProfile(cbor: &reader)
            try reader.close(&fields)
            self = .profileFetched(profile: profile)
        } else if reader.key("profileFetchFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Profile.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .profileFetchFailed(error: error)
        } else if reader.key("profileUpdated") {
            var fields = try reader.openFields()
            try reader.need("profile", in: &fields)
            let profile = try Profile.Business.Model.UserProfile(cbor: &reader)
            try reader.close(&fields)
            self = .profileUpdated(profile: profile)
        } else if reader.key("profileUpdateFailed") {
            var fields = try reader.openFields()
            try reader.need("error", in: &fields)
            let error = try Profile.Business.Model.Failure(cbor: &reader)
            try reader.close(&fields)
            self = .profileUpdateFailed(error: error)
        } else if reader.key("profileDeleted") {
            var fields = try reader.openFields()
            try reader.need("userId", in: &fields)
            let userId = try reader.text()
            try reader.close(&fields)
            self = .profileDeleted(userId: userId)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Profile.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: (profile == nil ? 0 : 1) + (failure == nil ? 0 : 1))
        if let failure {
            writer.key("failure")
            try failure.encodeCBOR(into: &writer)
        }
        if let profile {
            writer.key("profile")
            try profile.encodeCBOR(into: &writer)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        let failure = try reader.has("failure", in: &fields) ? Profile.Business.Model.Failure(cbor: &reader) : nil
        let profile = try reader.has("profile", in: &fields) ? Profile.Business.Model.UserProfile(cbor: &reader) : nil
        try reader.close(&fields)
        self.init(profile: profile, failure: failure)
    }
}

extension Profile.Business.Model.Failure {
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
        let code = try CBORReader.known(Profile.Business.Model.Failure.Code(rawValue: reader.integer(Int.self)))
        try reader.need("message", in: &fields)
        let message = try reader.text()
        try reader.close(&fields)
        self.init(code: code, message: message)
    }
}

extension Profile.Business.Model.UserProfile {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 4)
        writer.key("about")
        writer.text(about)
        writer.key("userId")
        writer.text(userId)
        writer.key("revision")
        writer.integer(revision)
        writer.key("displayName")
        writer.text(displayName)
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("about", in: &fields)
        let about = try reader.text()
        try reader.need("userId", in: &fields)
        let userId = try reader.text()
        try reader.need("revision", in: &fields)
        let revision = try reader.integer(Int.self)
        try reader.need("displayName", in: &fields)
        let displayName = try reader.text()
        try reader.close(&fields)
        self.init(userId: userId, displayName: displayName, about: about, revision: revision)
    }
}
