// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

import ReluxWire

extension FuzzEffect: CBORFastCodable {
    func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .none:
            writer.open(case: "none", fields: 0)
        case .values(let value0, let value1, let value2, let value3, let value4, let value5):
            writer.open(case: "values", fields: 5 + (value5 == nil ? 0 : 1))
            writer.key("_0")
            writer.integer(value0)
            writer.key("_1")
            writer.integer(value1)
            writer.key("_2")
            writer.double(value2)
            writer.key("_3")
            writer.float(value3)
            writer.key("_4")
            writer.bool(value4)
            if let value5 {
                writer.key("_5")
                writer.text(value5)
            }
        case .collections(let list, let table, let set, let numbered):
            writer.open(case: "collections", fields: 4)
            writer.key("set")
            try writer.codable(set)
            writer.key("list")
            try writer.list(list) { writer, item throws(WireError) in writer.integer(item) }
            writer.key("table")
            try writer.table(table) { writer, item throws(WireError) in
                try writer.list(item) { writer, item throws(WireError) in writer.bool(item) }
            }
            writer.key("numbered")
            try writer.codable(numbered)
        case .sealed(let value0, let value1, let value2):
            writer.open(case: "sealed", fields: CBORWriter.count(value0) + CBORWriter.count(value1) + CBORWriter.count(value2))
            try writer.codable(value0, key: "_0")
            try writer.codable(value1, key: "_1")
            try writer.codable(value2, key: "_2")
        case .nested(let value0, let value1):
            writer.open(case: "nested", fields: 2)
            writer.key("_0")
            try writer.codable(value0)
            writer.key("_1")
            try writer.codable(value1)
        case .record(let value0, let others, let byName):
            writer.open(case: "record", fields: 2 + (byName == nil ? 0 : 1))
            writer.key("_0")
            try value0.encodeCBOR(into: &writer)
            if let byName {
                writer.key("byName")
                try writer.table(byName) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
            }
            writer.key("others")
            try writer.list(others) { writer, item throws(WireError) in
                try writer.optional(item) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
            }
        case .aliased(let value0, let mark, let list, let twice, let never):
            writer.open(case: "aliased", fields: 1 + CBORWriter.count(value0) + CBORWriter.count(mark) + CBORWriter.count(twice) + (never == nil ? 0 : 1))
            try writer.codable(value0, key: "_0")
            writer.key("list")
            try writer.codable(list)
            try writer.codable(mark, key: "mark")
            if let never {
                writer.key("never")
                try writer.codable(never)
            }
            try writer.codable(twice, key: "twice")
        }
    }

    init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("none") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .none
        } else if reader.key("values") {
            var fields = try reader.openFields()
            try reader.need("_0", in: &fields)
            let value0 = try reader.integer(Int8.self)
            try reader.need("_1", in: &fields)
            let value1 = try reader.integer(UInt64.self)
            try reader.need("_2", in: &fields)
            let value2 = try reader.double()
            try reader.need("_3", in: &fields)
            let value3 = try reader.float()
            try reader.need("_4", in: &fields)
            let value4 = try reader.bool()
            let value5 = try reader.has("_5", in: &fields) ? reader.text() : nil
            try reader.close(&fields)
            self = .values(value0, value1, value2, value3, value4, value5)
        } else if reader.key("collections") {
            var fields = try reader.openFields()
            try reader.need("set", in: &fields)
            let set = try reader.codable(Set<String>.self)
            try reader.need("list", in: &fields)
            let list = try reader.list { reader throws(WireError) in try reader.integer(Int.self) }
            try reader.need("table", in: &fields)
            let table = try reader.table { reader throws(WireError) in try reader.list { reader throws(WireError) in try reader.bool() } }
            try reader.need("numbered", in: &fields)
            let numbered = try reader.codable([Int: ByteString].self)
            try reader.close(&fields)
            self = .collections(list: list, table: table, set: set, numbered: numbered)
        } else if reader.key("sealed") {
            var fields = try reader.openFields()
            let value0 = try reader.codable(SealedBytes.self, key: "_0", in: &fields)
            let value1 = try reader.codable(ModuleID.self, key: "_1", in: &fields)
            let value2 = try reader.codable(EffectID.self, key: "_2", in: &fields)
            try reader.close(&fields)
            self = .sealed(value0, value1, value2)
        } else if reader.key("nested") {
            var fields = try reader.openFields()
            try reader.need("_0", in: &fields)
            let value0 = try reader.codable(FuzzEffect.self)
            try reader.need("_1", in: &fields)
            let value1 = try reader.codable([FuzzEffect?].self)
            try reader.close(&fields)
            self = .nested(value0, value1)
        } else if reader.key("record") {
            var fields = try reader.openFields()
            try reader.need("_0", in: &fields)
            let value0 = try FuzzRecord(cbor: &reader)
            let byName = try reader.has("byName", in: &fields) ? reader.table { reader throws(WireError) in
                try FuzzRecord(cbor: &reader)
            } : nil
            try reader.need("others", in: &fields)
            let others = try reader.list { reader throws(WireError) in
                try reader.optional { reader throws(WireError) in try FuzzRecord(cbor: &reader) }
            }
            try reader.close(&fields)
            self = .record(value0, others: others, byName: byName)
        } else if reader.key("aliased") {
            var fields = try reader.openFields()
            let value0 = try reader.codable(Maybe<Int>.self, key: "_0", in: &fields)
            try reader.need("list", in: &fields)
            let list = try reader.codable([Maybe<Bool>].self)
            let mark = try reader.codable(Maybe<FuzzRecord.Mark>.self, key: "mark", in: &fields)
            let never: Maybe<Int>? = try reader.has("never", in: &fields) ? .some(reader.codable(Maybe<Int>.self)) : nil
            let twice = try reader.codable(Maybe<Maybe<Int>>.self, key: "twice", in: &fields)
            try reader.close(&fields)
            self = .aliased(value0, mark: mark, list: list, twice: twice, never: never)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension FuzzRecord.Choice {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .nothing:
            writer.open(case: "nothing", fields: 0)
        case .text(let value0, let inValue):
            writer.open(case: "text", fields: 1 + (inValue == nil ? 0 : 1))
            writer.key("_0")
            writer.text(value0)
            if let inValue {
                writer.key("in")
                writer.text(inValue.rawValue)
            }
        }
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("nothing") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .nothing
        } else if reader.key("text") {
            var fields = try reader.openFields()
            try reader.need("_0", in: &fields)
            let value0 = try reader.text()
            let inValue = try reader.has("in", in: &fields) ? CBORReader.known(FuzzRecord.Mark(rawValue: reader.text())) : nil
            try reader.close(&fields)
            self = .text(value0, in: inValue)
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension FuzzRecord {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 5 + (mark == nil ? 0 : 1))
        writer.key("deep")
        try writer.codable(deep)
        if let mark {
            writer.key("mark")
            writer.text(mark.rawValue)
        }
        writer.key("bytes")
        writer.byteString(bytes.bytes)
        writer.key("level")
        writer.integer(level.rawValue)
        writer.key("choice")
        try choice.encodeCBOR(into: &writer)
        writer.key("ratios")
        try writer.list(ratios) { writer, item throws(WireError) in
            try writer.list(item) { writer, item throws(WireError) in
                try writer.optional(item) { writer, item throws(WireError) in writer.float(item) }
            }
        }
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("deep", in: &fields)
        let deep = try reader.codable([Int: FuzzRecord.Mark].self)
        let mark = try reader.has("mark", in: &fields) ? CBORReader.known(FuzzRecord.Mark(rawValue: reader.text())) : nil
        try reader.need("bytes", in: &fields)
        let bytes = try ByteString(reader.byteString())
        try reader.need("level", in: &fields)
        let level = try CBORReader.known(FuzzRecord.Level(rawValue: reader.integer(Int.self)))
        try reader.need("choice", in: &fields)
        let choice = try FuzzRecord.Choice(cbor: &reader)
        try reader.need("ratios", in: &fields)
        let ratios = try reader.list { reader throws(WireError) in
            try reader.list { reader throws(WireError) in try reader.optional { reader throws(WireError) in try reader.float() } }
        }
        try reader.close(&fields)
        self.level = level
        self.mark = mark
        self.bytes = bytes
        self.choice = choice
        self.ratios = ratios
        self.deep = deep
    }
}
