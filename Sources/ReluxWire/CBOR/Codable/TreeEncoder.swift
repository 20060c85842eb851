/// The `Encoder` of ``CBOR``: one place in an ``EncodingTree``.
///
/// Valid only during the `encode(to:)` call that it was passed to, as are its containers.
struct TreeEncoder: Encoder, SingleValueEncodingContainer {
    let tree: UnsafeMutablePointer<EncodingTree>
    let node: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { tree.pointee.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        tree.pointee.open(node, as: .map)
        return KeyedEncodingContainer(TreeKeyedContainer<Key>(tree: tree, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        tree.pointee.open(node, as: .array)
        return TreeUnkeyedContainer(tree: tree, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { try tree.pointee.fill(node) { $0.null() } }

    // One generic method satisfies the requirement for each scalar type too: in the specialised witness the chain in `value` folds
    // to a single branch.
    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws { try self.value(value) }

    @inline(__always)
    func value<T: Encodable>(_ value: T) throws {
        if T.self == String.self {
            try tree.pointee.fill(node) { $0.text(same(value)) }
        } else if T.self == Int.self {
            try tree.pointee.fill(node) { $0.integer(Int64(same(value) as Int)) }
        } else if T.self == Bool.self {
            try tree.pointee.fill(node) { $0.bool(same(value)) }
        } else if T.self == Double.self {
            try tree.pointee.fill(node) { $0.double(same(value)) }
        } else if T.self == Float.self {
            try tree.pointee.fill(node) { $0.float(same(value)) }
        } else if T.self == Int64.self {
            try tree.pointee.fill(node) { $0.integer(same(value)) }
        } else if T.self == Int32.self {
            try tree.pointee.fill(node) { $0.integer(Int64(same(value) as Int32)) }
        } else if T.self == Int16.self {
            try tree.pointee.fill(node) { $0.integer(Int64(same(value) as Int16)) }
        } else if T.self == Int8.self {
            try tree.pointee.fill(node) { $0.integer(Int64(same(value) as Int8)) }
        } else if T.self == UInt.self {
            try tree.pointee.fill(node) { $0.unsigned(UInt64(same(value) as UInt)) }
        } else if T.self == UInt64.self {
            try tree.pointee.fill(node) { $0.unsigned(same(value)) }
        } else if T.self == UInt32.self {
            try tree.pointee.fill(node) { $0.unsigned(UInt64(same(value) as UInt32)) }
        } else if T.self == UInt16.self {
            try tree.pointee.fill(node) { $0.unsigned(UInt64(same(value) as UInt16)) }
        } else if T.self == UInt8.self {
            try tree.pointee.fill(node) { $0.unsigned(UInt64(same(value) as UInt8)) }
        } else {
            try composite(value)
        }
    }

    @inline(never)
    private func composite<T: Encodable>(_ value: T) throws {
        guard tree.pointee.callDepth < CBORLimits.encodeCalls, tree.pointee.failure == nil else {
            throw tree.pointee.failure ?? EncodingTree.tooDeep
        }
        tree.pointee.callDepth += 1
        defer { tree.pointee.callDepth -= 1 }
        try value.encode(to: self)
        switch tree.pointee.nodes[node].shape {
        case .array:
            guard let type = T.self as? any UnorderedCoding.Type else { return }
            tree.pointee.nodes[node].unorderedGroup = type.codingGroup
        case .map where tree.pointee.keepsDeclaredOrder:
            tree.pointee.nodes[node].isOrdered = !(T.self is any UnorderedCoding.Type)
        case .map, .leaf, .empty: break
        }
    }
}

/// `value` as the type that it is known to be: callers have compared the metatypes.
@inline(__always)
func same<Source, Target>(_ value: Source) -> Target { unsafeBitCast(value, to: Target.self) }

/// A collection that codes as an array whose order is an accident of hashing.
private protocol UnorderedCoding {
    /// How many array elements belong together.
    static var codingGroup: UInt8 { get }
}

extension Set: UnorderedCoding {
    fileprivate static var codingGroup: UInt8 { 1 }
}

extension Dictionary: UnorderedCoding {
    fileprivate static var codingGroup: UInt8 { 2 }
}
