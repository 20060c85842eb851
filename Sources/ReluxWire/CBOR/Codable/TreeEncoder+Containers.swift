struct TreeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let tree: UnsafeMutablePointer<EncodingTree>
    let node: Int

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func place(_ key: some CodingKey) -> TreeEncoder {
        TreeEncoder(tree: tree, node: tree.pointee.append(to: node, key: key.stringValue))
    }

    func encodeNil(forKey key: Key) throws { try place(key).encodeNil() }

    @inline(__always)
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try place(key).value(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        place(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { place(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { place(SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { place(key) }
}

struct TreeUnkeyedContainer: UnkeyedEncodingContainer {
    let tree: UnsafeMutablePointer<EncodingTree>
    let node: Int

    var codingPath: [any CodingKey] { [] }
    var count: Int { Int(tree.pointee.nodes[node].count) }

    @inline(__always)
    private func place() -> TreeEncoder { TreeEncoder(tree: tree, node: tree.pointee.append(to: node)) }

    func encodeNil() throws { try place().encodeNil() }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws { try place().value(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        place().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { place().unkeyedContainer() }

    func superEncoder() -> any Encoder { place() }
}

/// The key under which Swift's coders keep what a superclass wrote.
struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { guard stringValue == "super" else { return nil } }
    init?(intValue: Int) { nil }
}
