// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

import Relux

extension Bench.Business.Effect: CBORFastCodable {
    func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .saved(let number, let title, let body):
            writer.open(case: "saved", fields: 3)
            writer.key("body")
            writer.text(body)
            writer.key("title")
            writer.text(title)
            writer.key("number")
            writer.integer(number)
        case .moved(let number, let x, let y, let note):
            writer.open(case: "moved", fields: 4)
            writer.key("x")
            writer.double(x)
            writer.key("y")
            writer.double(y)
            writer.key("note")
            writer.text(note)
            writer.key("number")
            writer.integer(number)
        case .tagged(let number, let tags, let text):
            writer.open(case: "tagged", fields: 3)
            writer.key("tags")
            try writer.list(tags) { writer, item throws(WireError) in writer.text(item) }
            writer.key("text")
            writer.text(text)
            writer.key("number")
            writer.integer(number)
        case .flagged(let number, let isOn, let reason, let text):
            writer.open(case: "flagged", fields: 3 + (reason == nil ? 0 : 1))
            writer.key("isOn")
            writer.bool(isOn)
            writer.key("text")
            writer.text(text)
            writer.key("number")
            writer.integer(number)
            if let reason {
                writer.key("reason")
                writer.text(reason)
            }
        }
    }

    init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("saved") {
            var fields = try reader.openFields()
            try reader.need("body", in: &fields)
            let body = try reader.text()
            try reader.need("title", in: &fields)
            let title = try reader.text()
            try reader.need("number", in: &fields)
            let number = try reader.integer(UInt64.self)
            try reader.close(&fields)
            self = .saved(number: number, title: title, body: body)
        } else if reader.key("moved") {
            var fields = try reader.openFields()
            try reader.need("x", in: &fields)
            let x = try reader.double()
            try reader.need("y", in: &fields)
            let y = try reader.double()
            try reader.need("note", in: &fields)
            let note = try reader.text()
            try reader.need("number", in: &fields)
            let number = try reader.integer(UInt64.self)
            try reader.close(&fields)
            self = .moved(number: number, x: x, y: y, note: note)
        } else if reader.key("tagged") {
            var fields = try reader.openFields()
            try reader.need("tags", in: &fields)
            let tags = try reader.list { reader throws(WireError) in try reader.text() }
            try reader.need("text", in: &fields)
            let text = try reader.text()
            try reader.need("number", in: &fields)
            let number = try reader.integer(UInt64.self)
            try reader.close(&fields)
            self = .tagged(number: number, tags: tags, text: text)
        } else if reader.key("flagged") {
            var fields = try reader.openFields()
            try reader.need("isOn", in: &fields)
            let isOn = try reader.bool()
            try reader.need("text", in: &fields)
            let text = try reader.text()
            try reader.need("number", in: &fields)
            let number = try reader.integer(UInt64.self)
            let reason = try reader.has("reason", in: &fields) ? reader.text() : nil
            try reader.close(&fields)
            self = .flagged(number: number, isOn: isOn, reason: reason, text: text)
        } else {
            throw CBORReader.unexpected
        }
    }
}
