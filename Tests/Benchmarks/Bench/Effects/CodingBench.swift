import Glibc
import Relux

/// The cost of making an effect's bytes and of reading them, with generated code and by `Codable`, in turns.
enum CodingBench {
    private static let rounds = 10

    static func run(_ count: Int) throws {
        let maker = try EffectMaker()
        let effects = (0..<UInt64(1024)).map(maker.effect)
        let payloads = try effects.map { try CBOR.encode($0) }
        let each = max(1, count / rounds)
        // The best round of each way counts: what else the machine does only adds.
        var best: [String: Double] = [:]
        var bytes = 0
        var sum: UInt64 = 0
        func time(_ name: String, _ body: (Int) throws -> Void) rethrows {
            let start = Monotonic.now()
            for index in 0..<each { try body(index & 1023) }
            let nanoseconds = (Monotonic.now() - start).microseconds * 1000 / Double(each)
            best[name] = min(best[name] ?? .infinity, nanoseconds)
        }
        for _ in 0..<rounds {
            try time("encode_generated_ns") { bytes += try CBOR.encode(effects[$0]).count }
            try time("encode_codable_ns") { bytes -= try BenchCoding.encode(effects[$0]).count }
            try time("decode_generated_ns") { sum &+= try CBOR.decode(Bench.Business.Effect.self, from: payloads[$0]).number }
            try time("decode_codable_ns") { sum &-= try BenchCoding.decode(Bench.Business.Effect.self, from: payloads[$0]).number }
        }
        guard bytes == 0, sum == 0 else { throw BenchError("generated code and Codable differ by \(bytes) bytes and \(sum) in what they read") }
        var line = Line("relux.coding")
        line.add("payload_bytes", Bench.Business.Effect.payloadByteCount)
        line.add("count", each * rounds)
        for (name, nanoseconds) in best.sorted(by: { $0.key < $1.key }) { line.add(name, nanoseconds) }
        for way in ["encode", "decode"] {
            line.add("\(way)_speedup", (best["\(way)_codable_ns"] ?? 0) / (best["\(way)_generated_ns"] ?? 1))
        }
        line.printed()
    }
}

/// The generic coders: where the type is not known to have its own, it is not asked for them.
enum BenchCoding {
    /// Effects are left to `Codable`, for comparison.
    static let isPlain = getenv("RELUX_BENCH_CODING").map { String(cString: $0) } == "codable"
    static func named(_ benchmark: String) -> String { isPlain ? "\(benchmark).codable" : benchmark }

    static func encode(_ value: some Encodable) throws(WireError) -> [UInt8] { try CBOR.encode(value) }
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(WireError) -> Value {
        try CBOR.decode(type, from: bytes)
    }
}

extension Bench.Business.Effect {
    // Instead of what a type with generated code has from it.
    func encodedCBOR(userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8] {
        try BenchCoding.isPlain ? BenchCoding.encode(self) : CBOR.encodeFast(self, userInfo: userInfo)
    }

    init(decodingCBOR bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) {
        self = try BenchCoding.isPlain
            ? BenchCoding.decode(Self.self, from: [UInt8](bytes)) : CBOR.decodeFast(Self.self, from: bytes, userInfo: userInfo)
    }
}
