// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import Relux

extension StartupOrchestration.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .begin:
            writer.open(case: "begin", fields: 0)
        case .cancel:
            writer.open(case: "cancel", fields: 0)
        case .enter(let mode):
            writer.open(case: "enter", fields: (mode == nil ? 0 : 1))
            if let mode {
                writer.key("mode")
                writer.text(mode)
            }
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("begin") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .begin
        } else if reader.key("cancel") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .cancel
        } else if reader.key("enter") {
            var fields = try reader.openFields()
            let mode = try reader.has("mode", in: &fields) ? reader.text() : nil
            try reader.close(&fields)
            self = .enter(mode: mode)
        } else {
            throw CBORReader.unexpected
        }
    }
}
