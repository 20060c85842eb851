import Relux
import ReluxTestKit
import Testing

private let password = "correct horse"

private enum Vault: Relux.Effect, Equatable {
    case open(name: String, password: Secret<String>)
    case bare(Secret<String>)
    case wrapped(Envelope)
}

private struct Envelope: Codable, Sendable, Equatable {
    var inner: Secret<String>?
    var list: [Secret<String>]
}

@Suite(.timeLimit(.minutes(1))) struct SecretTests {
    private let effects: [Vault] = [
        .open(name: "ann", password: Secret(password)), .bare(Secret(password)),
        .wrapped(Envelope(inner: Secret(password), list: [Secret(password)])),
    ]

    @Test func `a secret survives encode and decode with a sealer`() throws {
        let info: [CodingUserInfoKey: any Sendable] = [.reluxSealer: XORSealing()]
        for effect in effects {
            let bytes = try CBOR.encode(effect, userInfo: info)
            #expect(try CBOR.decode(Vault.self, from: bytes, userInfo: info) == effect)
            #expect(!String(decoding: bytes, as: UTF8.self).contains(password))
        }
    }

    @Test func `without a sealer a secret is neither written nor read`() throws {
        let sealed = try CBOR.encode(effects[0], userInfo: [.reluxSealer: XORSealing()])
        #expect(throws: (any Error).self) { try CBOR.encode(effects[0]) }
        #expect(throws: (any Error).self) { try CBOR.decode(Vault.self, from: sealed) }
        #expect(throws: (any Error).self) {
            try CBOR.decode(Vault.self, from: sealed, userInfo: [.reluxSealer: XORSealing(key: "other")])
        }
    }

    @Test func `a secret is in no log entry, description, dump or reflection`() async {
        let test = TestNode()
        await test.relux.register([MockModule { _ in .failure(Leak(what: Secret(password))) }])
        for effect in effects {
            await test.dispatcher.actions { effect }
            var dumped = ""
            dump(effect, to: &dumped)
            let shown = ["\(effect)", String(reflecting: effect), dumped, Relux.describe(effect)]
            for text in shown {
                #expect(!text.contains(password))
                #expect(!text.contains("horse"))
            }
        }
        #expect(test.logger.entries.count == 3)
        #expect(!test.logger.text.contains("horse"))
        #expect(test.logger.text.contains("Vault.open(name: ann, password: •••)"))
    }

    @Test func `an error over an opened secret does not quote it`() throws {
        let info: [CodingUserInfoKey: any Sendable] = [.reluxSealer: XORSealing()]
        let bytes = try CBOR.encode(Secret(password), userInfo: info)
        #expect {
            try CBOR.decode(Secret<Int>.self, from: bytes, userInfo: info)
        } throws: { !"\($0)".contains("horse") }
    }
}

private struct Leak: Error { let what: Secret<String> }
