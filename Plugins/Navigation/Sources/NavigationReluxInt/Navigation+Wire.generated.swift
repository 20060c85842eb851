// Written by `relux generate` from the types that it names: change those and run it again. What is stale fails `relux lint`.

public import NavigationModels
public import Relux

extension Navigation.Business.Effect: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        switch self {
        case .set(let pages):
            writer.open(case: "set", fields: 1)
            writer.key("pages")
            try writer.list(pages) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
        case .push(let page):
            writer.open(case: "push", fields: 1)
            writer.key("page")
            try page.encodeCBOR(into: &writer)
        case .pop:
            writer.open(case: "pop", fields: 0)
        case .open(let link):
            writer.open(case: "open", fields: 1)
            writer.key("link")
            writer.text(link)
        case .cover(let page):
            writer.open(case: "cover", fields: 1)
            writer.key("page")
            try page.encodeCBOR(into: &writer)
        case .uncover(let domain, let name):
            writer.open(case: "uncover", fields: 2)
            writer.key("name")
            writer.text(name)
            writer.key("domain")
            writer.text(domain)
        case .covers:
            writer.open(case: "covers", fields: 0)
        }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        try reader.openCase()
        if reader.key("set") {
            var fields = try reader.openFields()
            try reader.need("pages", in: &fields)
            let pages = try reader.list { reader throws(WireError) in try Navigation.Business.Model.Page(cbor: &reader) }
            try reader.close(&fields)
            self = .set(pages: pages)
        } else if reader.key("push") {
            var fields = try reader.openFields()
            try reader.need("page", in: &fields)
            let page = try Navigation.Business.Model.Page(cbor: &reader)
            try reader.close(&fields)
            self = .push(page: page)
        } else if reader.key("pop") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .pop
        } else if reader.key("open") {
            var fields = try reader.openFields()
            try reader.need("link", in: &fields)
            let link = try reader.text()
            try reader.close(&fields)
            self = .open(link: link)
        } else if reader.key("cover") {
            var fields = try reader.openFields()
            try reader.need("page", in: &fields)
            let page = try Navigation.Business.Model.Page(cbor: &reader)
            try reader.close(&fields)
            self = .cover(page: page)
        } else if reader.key("uncover") {
            var fields = try reader.openFields()
            try reader.need("name", in: &fields)
            let name = try reader.text()
            try reader.need("domain", in: &fields)
            let domain = try reader.text()
            try reader.close(&fields)
            self = .uncover(domain: domain, name: name)
        } else if reader.key("covers") {
            var fields = try reader.openFields()
            try reader.close(&fields)
            self = .covers
        } else {
            throw CBORReader.unexpected
        }
    }
}

extension Navigation.Business.Snapshot: CBORFastCodable {
    public func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 1)
        writer.key("pages")
        try writer.list(pages) { writer, item throws(WireError) in try item.encodeCBOR(into: &writer) }
    }

    public init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("pages", in: &fields)
        let pages = try reader.list { reader throws(WireError) in try Navigation.Business.Model.Page(cbor: &reader) }
        try reader.close(&fields)
        self.init(pages: pages)
    }
}

extension Navigation.Business.Model.Page {
    fileprivate func encodeCBOR(into writer: inout CBORWriter) throws(WireError) {
        writer.map(count: 3)
        writer.key("name")
        writer.text(name)
        writer.key("domain")
        writer.text(domain)
        writer.key("parameters")
        try writer.table(parameters) { writer, item throws(WireError) in writer.text(item) }
    }

    fileprivate init(cbor reader: inout CBORReader) throws(WireError) {
        var fields = try reader.openFields()
        try reader.need("name", in: &fields)
        let name = try reader.text()
        try reader.need("domain", in: &fields)
        let domain = try reader.text()
        try reader.need("parameters", in: &fields)
        let parameters = try reader.table { reader throws(WireError) in try reader.text() }
        try reader.close(&fields)
        self.init(domain: domain, name: name, parameters: parameters)
    }
}
