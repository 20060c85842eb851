// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import Relux

extension SessionOrchestration.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .teardownSession:
            writer.open(case: "teardownSession", fields: 0)
        case .refreshSession:
            writer.open(case: "refreshSession", fields: 0)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("teardownSession") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .teardownSession
        } else if reader.key("refreshSession") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .refreshSession
        } else {
            throw CBORReader.unexpected
        }
    }
}
