/// The output of an `Encodable` value so far: nodes in an arena, their scalar bytes and keys in one buffer.
///
/// A node is a place for one value. Containers link their children, so they can be filled in any order and shared by a
/// class and its superclass; ``assembled()`` writes it all out, maps in key order.
struct EncodingTree: ~Copyable {
    enum Shape { case empty, leaf, array, map }

    struct Node {
        var shape = Shape.empty
        /// The keys of this map came in ascending order.
        var isOrdered = true
        /// The elements of this array, taken in groups of this size, have no order of their own; 0 when they have.
        var unorderedGroup: UInt8 = 0
        var depth: UInt8
        var count: UInt32 = 0
        var first: Int32 = -1
        var last: Int32 = -1
        var sibling: Int32 = -1
        /// The key's bytes, head included, in the buffer.
        var key: Range<UInt32> = 0..<0
        /// The bytes of a leaf in the buffer.
        var leaf: Range<UInt32> = 0..<0
    }

    var nodes: [Node] = []
    var buffer = CBORWriter(reservingCapacity: 256)
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// Maps stay in the order in which the type wrote them; only dictionaries are sorted.
    let keepsDeclaredOrder: Bool
    /// The first mistake of a call that cannot throw.
    var failure: WireError?
    var callDepth = 0

    /// - Parameter depth: the depth of the value; more than 0 for a part of another value.
    init(userInfo: [CodingUserInfoKey: any Sendable], keepsDeclaredOrder: Bool, depth: UInt8 = 0) {
        self.userInfo = userInfo
        self.keepsDeclaredOrder = keepsDeclaredOrder
        nodes.reserveCapacity(16)
        nodes.append(Node(depth: depth))
        callDepth = Int(depth)
    }

    /// Fills a place with what `write` appends, which is one whole item.
    @inline(__always)
    mutating func fill(_ node: Int, _ write: (inout CBORWriter) -> Void) throws {
        guard nodes[node].shape == .empty else { throw Self.twice }
        let start = UInt32(truncatingIfNeeded: buffer.count)
        write(&buffer)
        guard buffer.count <= CBORLimits.byteCount else { throw Self.tooLarge }
        nodes[node].shape = .leaf
        nodes[node].leaf = start..<UInt32(truncatingIfNeeded: buffer.count)
    }

    /// Makes a place a container. A second call for the same shape shares it, as subclasses expect.
    mutating func open(_ node: Int, as shape: Shape) {
        if nodes[node].shape == .empty {
            if Int(nodes[node].depth) >= CBORLimits.depth { failure = failure ?? Self.tooDeep }
            nodes[node].shape = shape
        } else if nodes[node].shape != shape {
            failure = failure ?? Self.twice
        }
    }

    /// Appends a place to a container. After a failure, which ``CBOR`` reports, nobody sees it.
    mutating func append(to parent: Int) -> Int {
        let node = nodes.count
        nodes.append(Node(depth: min(nodes[parent].depth + 1, 128)))
        let last = nodes[parent].last
        if last < 0 {
            nodes[parent].first = Int32(truncatingIfNeeded: node)
        } else {
            nodes[Int(last)].sibling = Int32(truncatingIfNeeded: node)
        }
        nodes[parent].last = Int32(truncatingIfNeeded: node)
        nodes[parent].count += 1
        return node
    }

    /// A new place under `key` in a map.
    mutating func append(to parent: Int, key: String) -> Int {
        let start = UInt32(truncatingIfNeeded: buffer.count)
        buffer.text(key)
        let range = start..<UInt32(truncatingIfNeeded: buffer.count)
        let previous = Int(nodes[parent].last)
        if previous >= 0, nodes[parent].isOrdered, order(nodes[previous].key, range) >= 0 {
            nodes[parent].isOrdered = false
        }
        let node = append(to: parent)
        nodes[node].key = range
        return node
    }

    /// Below, at or above zero as `left` comes before, is or comes after `right`. Heads make keys prefix-free.
    private func order(_ left: Range<UInt32>, _ right: Range<UInt32>) -> Int {
        let bytes = buffer.written
        for offset in 0..<min(left.count, right.count) {
            let difference = Int(bytes[Int(left.lowerBound) + offset]) - Int(bytes[Int(right.lowerBound) + offset])
            if difference != 0 { return difference }
        }
        return left.count - right.count
    }

    private func slice(_ range: Range<UInt32>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer.written[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    static let twice = WireError(.codableFailed, "encode(to:) wrote two values into one place; write one value or one container")
    static let tooDeep = WireError(.limitExceeded, "the value nests deeper than \(CBORLimits.depth); flatten it")
    static let tooLarge = WireError(.limitExceeded, "the value is larger than \(CBORLimits.byteCount) bytes")
}

extension EncodingTree {
    /// The whole value as bytes.
    func assembled() -> [UInt8] {
        var writer = CBORWriter(reservingCapacity: buffer.count + 8)
        write(0, to: &writer)
        return writer.bytes
    }

    private func write(_ node: Int, to writer: inout CBORWriter) {
        switch nodes[node].shape {
        case .empty:
            // A type without stored properties may write nothing at all.
            writer.map(count: 0)
        case .leaf:
            writer.append(slice(nodes[node].leaf))
        case .array where nodes[node].unorderedGroup > 0:
            writeUnordered(node, to: &writer)
        case .array:
            writer.array(count: Int(nodes[node].count))
            forEachChild(of: node) { write($0, to: &writer) }
        case .map where nodes[node].isOrdered:
            writer.map(count: Int(nodes[node].count))
            forEachChild(of: node) { child in
                writer.append(slice(nodes[child].key))
                write(child, to: &writer)
            }
        case .map:
            writeSorted(node, to: &writer)
        }
    }

    @inline(__always)
    private func forEachChild(of node: Int, _ body: (Int) -> Void) {
        var child = nodes[node].first
        while child >= 0 {
            body(Int(child))
            child = nodes[Int(child)].sibling
        }
    }

    private func writeSorted(_ node: Int, to writer: inout CBORWriter) {
        var children: [Int] = []
        children.reserveCapacity(Int(nodes[node].count))
        forEachChild(of: node) { children.append($0) }
        children.sort { left, right in
            switch order(nodes[left].key, nodes[right].key) {
            case 0: left < right
            case let order: order < 0
            }
        }
        // When a key was written twice, the later value counts, as in other coders.
        var duplicates = 0
        for index in children.indices.dropFirst() where order(nodes[children[index - 1]].key, nodes[children[index]].key) == 0 {
            children[index - 1] = -1
            duplicates += 1
        }
        writer.map(count: children.count - duplicates)
        for child in children where child >= 0 {
            writer.append(slice(nodes[child].key))
            write(child, to: &writer)
        }
    }

    private func writeUnordered(_ node: Int, to writer: inout CBORWriter) {
        let size = Int(nodes[node].unorderedGroup)
        var groups: [[UInt8]] = []
        var group = CBORWriter()
        var members = 0
        forEachChild(of: node) { child in
            write(child, to: &group)
            members += 1
            if members == size {
                groups.append(group.bytes)
                group.removeAll()
                members = 0
            }
        }
        groups.sort { $0.lexicographicallyPrecedes($1) }
        writer.array(count: Int(nodes[node].count))
        for group in groups { group.withUnsafeBytes { writer.append($0) } }
    }
}
