import ReluxWire

/// Makes a value once for the effect that is being handled: a clock reading, a random number, an id.
///
/// The value is journaled under the effect and the name. When the process dies and the handler is run again, it gets the same
/// value; so what it emits is recognised and not emitted twice. In one handler a name stands for one value: whoever asks for it
/// again, or meanwhile, gets the same. It is forgotten when the effect has settled.
///
/// - Parameters:
///   - name: unique within the handler; in a loop, put the index in it.
///   - make: called only when there is no value yet; what it throws is thrown on, and nothing is kept then.
/// - Throws: `Relux.Failure` with the code `noHandler` outside a running handler, `coding` when the value cannot be encoded or
///   what was kept is no `Value`, `notKept` when the journal took nothing, `once` when `make` asks for its own name, or the name is longer than 1,024 bytes.
public nonisolated(nonsending) func once<Value: Codable & Sendable>(
    _ name: String, _ make: () async throws -> Value
) async throws -> Value {
    guard let scope = Relux.Scope.current, let handler = scope.handler else {
        throw Relux.Failure.noHandler(name, "no handler runs here")
    }
    guard name.utf8.count <= OnceName.byteLimit else { throw Relux.Failure.onceNameTooLong(name) }
    let asked = OnceName(effect: handler.effect, module: scope.module, name: name)
    guard !OnceName.making.contains(asked) else { throw Relux.Failure.onceInItself(name) }
    let (exchange, codingInfo) = (scope.node.exchange, scope.node.codingInfo)
    switch await exchange.ask(name, in: handler, of: scope.module) {
    case .ended: throw Relux.Failure.noHandler(name, "the handler of \(handler.effect) has ended")
    case .kept(let bytes):
        do {
            return try CBOR.decode(Value.self, from: bytes, userInfo: codingInfo)
        } catch {
            throw Relux.Failure.coding(
                "what once(\"\(name)\") had kept for \(handler.effect) is no \(Relux.typePath(of: Value.self)): \(error); use another name")
        }
    case .make:
        do {
            let value = try await OnceName.$making.withValue(OnceName.making + [asked]) { try await make() }
            let bytes = try OnceName.encode(value, as: name, userInfo: codingInfo)
            // A transient effect is not handled again: its values last as long as the handler.
            if let uplink = exchange.uplink, !handler.isTransient {
                let kept = Relux.KeptValue(cause: handler.effect, name: name, bytes: bytes, life: scope.node.lifeNumber)
                guard await uplink.keep(kept, of: scope.module) else { throw Relux.Failure.notKept(name, handler.effect) }
            }
            exchange.made(name, bytes, in: handler, of: scope.module)
            return value
        } catch {
            exchange.notMade(name, in: handler, of: scope.module)
            throw error
        }
    }
}

/// The name of a value that a task is making, so that no value waits for itself.
private struct OnceName: Equatable, Sendable {
    var effect: EffectID
    var module: ModuleID
    var name: String

    @TaskLocal static var making: [OnceName] = []
    /// It is journaled with the value.
    static let byteLimit = 1024

    static func encode(
        _ value: some Encodable, as name: String, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(Relux.Failure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try CBOR.encode(value, userInfo: userInfo)
        } catch {
            throw .coding("the value of once(\"\(name)\") could not be encoded: \(error)")
        }
        guard bytes.count <= WireRecord.payloadByteLimit else {
            throw .coding(
                "the value of once(\"\(name)\") has \(bytes.count) bytes, the limit is \(WireRecord.payloadByteLimit); keep a reference instead")
        }
        return bytes
    }
}

extension Relux.Failure {
    fileprivate static func noHandler(_ name: String, _ why: String) -> Self {
        Self(
            domain: domainName, code: "noHandler",
            message: "once(\"\(name)\"): \(why); call it in a saga's `apply`, before that returns, or make the value without `once`",
            details: ["name": name])
    }
    fileprivate static func notKept(_ name: String, _ effect: EffectID) -> Self {
        Self(
            domain: domainName, code: "notKept",
            message: "the journal did not take the value of once(\"\(name)\") for \(effect); let the effect fail, or go on without it",
            details: ["name": name])
    }
    fileprivate static func onceNameTooLong(_ name: String) -> Self {
        Self(
            domain: domainName, code: "once",
            message: "a name of once has \(name.utf8.count) bytes, the limit is \(OnceName.byteLimit); use a shorter one",
            details: ["name": name.cut(to: 64)])
    }
    fileprivate static func onceInItself(_ name: String) -> Self {
        Self(
            domain: domainName, code: "once",
            message: "once(\"\(name)\") was called while its own value is being made; use another name inside",
            details: ["name": name])
    }
}
