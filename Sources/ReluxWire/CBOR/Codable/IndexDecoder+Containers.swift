struct IndexKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let index: UnsafeMutablePointer<CBORIndex>
    let map: Int

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        var keys: [Key] = []
        var item = map + 1
        let end = Int(index.pointee.items[map].next)
        while item < end {
            if index.pointee.items[item].major == CBORMajor.text, let key = Key(stringValue: index.pointee.text(of: item)) {
                keys.append(key)
            }
            item = Int(index.pointee.items[valueItem(ofKey: item)].next)
        }
        return keys
    }

    private func valueItem(ofKey item: Int) -> Int { Int(index.pointee.items[item].next) }

    /// The value under `key`. Starts behind the last hit, so asking in the order of the bytes costs one comparison each.
    @inline(__always)
    private func find(_ key: some CodingKey) -> IndexDecoder? {
        var name = key.stringValue
        return name.withUTF8 { find(UnsafeRawBufferPointer($0)) }
    }

    private func find(_ name: UnsafeRawBufferPointer) -> IndexDecoder? {
        let start = Int(index.pointee.items[map].cursor)
        let end = Int(index.pointee.items[map].next)
        return find(name, from: start, to: end) ?? find(name, from: map + 1, to: start)
    }

    private func find(_ name: UnsafeRawBufferPointer, from start: Int, to end: Int) -> IndexDecoder? {
        var item = start
        while item < end {
            let value = valueItem(ofKey: item)
            let next = index.pointee.items[value].next
            if index.pointee.items[item].major == CBORMajor.text,
                index.pointee.items[item].argument == UInt64(name.count),
                index.pointee.content(of: item).elementsEqual(name)
            {
                index.pointee.items[map].cursor = next
                return IndexDecoder(index: index, item: value)
            }
            item = Int(next)
        }
        return nil
    }

    @inline(__always)
    private func place(_ key: some CodingKey) throws -> IndexDecoder {
        if let decoder = find(key) { return decoder }
        throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "the field is missing"))
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try place(key).decodeNil() }

    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let decoder = try place(key)
        do { return try decoder.value(type) } catch { throw inside(key, error) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let decoder = try place(key)
        do { return try decoder.container(keyedBy: type) } catch { throw inside(key, error) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let decoder = try place(key)
        do { return try decoder.unkeyedContainer() } catch { throw inside(key, error) }
    }

    func superDecoder() throws -> any Decoder { try place(SuperKey()) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try place(key) }
}

struct IndexUnkeyedContainer: UnkeyedDecodingContainer {
    let index: UnsafeMutablePointer<CBORIndex>
    let array: Int
    private var item: Int
    private(set) var currentIndex = 0

    init(index: UnsafeMutablePointer<CBORIndex>, array: Int) {
        self.index = index
        self.array = array
        item = array + 1
    }

    var codingPath: [any CodingKey] { [] }
    /// Elements that are there: the index has read every one of them.
    var count: Int? { Int(index.pointee.items[array].argument) }
    var isAtEnd: Bool { item >= Int(index.pointee.items[array].next) }

    private func place() throws -> IndexDecoder {
        guard !isAtEnd else {
            let context = DecodingError.Context(codingPath: [], debugDescription: "the array has only \(currentIndex) elements")
            throw DecodingError.valueNotFound([Any].self, context)
        }
        return IndexDecoder(index: index, item: item)
    }

    private mutating func advance() {
        item = Int(index.pointee.items[item].next)
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard try place().decodeNil() else { return false }
        advance()
        return true
    }

    @inline(__always)
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let decoder = try place()
        do {
            let value = try decoder.value(type)
            advance()
            return value
        } catch { throw inside(PositionKey(currentIndex), error) }
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        let container = try place().container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try place().unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try place()
        advance()
        return decoder
    }
}

/// The index of an array element, as a key for messages.
private struct PositionKey: CodingKey {
    let position: Int

    init(_ position: Int) { self.position = position }
    init?(intValue: Int) { position = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { position }
    var stringValue: String { "\(position)" }
}

/// `error` with `key` in front of its path. Paths are built on the way out of a failure, so success does not pay for them.
private func inside(_ key: some CodingKey, _ error: any Error) -> any Error {
    func moved(_ context: DecodingError.Context) -> DecodingError.Context {
        .init(codingPath: [key] + context.codingPath, debugDescription: context.debugDescription, underlyingError: context.underlyingError)
    }
    guard let error = error as? DecodingError else { return error }
    switch error {
    case .typeMismatch(let type, let context): return DecodingError.typeMismatch(type, moved(context))
    case .valueNotFound(let type, let context): return DecodingError.valueNotFound(type, moved(context))
    case .keyNotFound(let missing, let context): return DecodingError.keyNotFound(missing, moved(context))
    case .dataCorrupted(let context): return DecodingError.dataCorrupted(moved(context))
    @unknown default: return error
    }
}
