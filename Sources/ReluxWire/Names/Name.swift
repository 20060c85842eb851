import Synchronization

/// A module's or a topic's name, once for the process and for good.
///
/// Design notes. Names are in each key, record and look-up, on several threads at once. As strings each copy counts references on a cache line that
/// all threads write to: a seventh of what an effect cost. A name that is never freed needs no counting; a name that exists once is compared by its
/// address and hashed once. A process has one for each module and topic that its cluster has had meanwhile; ``limit`` ends what a stranger
/// could fill memory with.
@usableFromInline final class Name: Sendable {
    /// Names of one process. A cluster of a thousand modules has some ten thousand.
    static let limit = 1 << 20

    let text: String
    /// The hash of the name's bytes; see ``NameHash``.
    let hash: UInt64
    /// The name begins with `~`.
    let isReserved: Bool
    /// The reserved stream on which the effects of the module with this name are settled, once it was asked for.
    private let settlementsName = Atomic<Unmanaged<Name>?>(nil)
    /// Set for the name of such a stream: the module whose effects it settles, once somebody has asked.
    private let settledName = Atomic<Unmanaged<Name>?>(nil)
    /// A list of the module with this name alone; see ``Recipients``.
    private let aloneAddress = Atomic<UInt>(0)

    private init(_ key: Key) {
        text = key.text
        hash = key.hash
        isReserved = key.text.utf8.first == UInt8(ascii: "~")
    }

    /// The name of a text whose grammar is right, and which is made by this program itself or of a name that there is.
    static func of(_ text: String) -> Name {
        let key = Key(text)
        return table.withLock { $0[key] ?? add(key, to: &$0) }
    }

    /// The same for a text from outside; nil when there are too many already.
    static func admitted(_ text: String, limit: Int = limit) -> Name? {
        let key = Key(text)
        return table.withLock { names in
            if let name = names[key] { return name }
            return names.count < limit ? add(key, to: &names) : nil
        }
    }

    private static func add(_ key: Key, to names: inout [Key: Name]) -> Name {
        let name = Name(key)
        names[key] = name
        return name
    }

    /// The name if the process has it already, and its grammar is right for that.
    static func known(_ text: String) -> Name? {
        let key = Key(text)
        return table.withLock { $0[key] }
    }

    /// A name that follows from this one, for ever the same.
    func settlements(_ make: () -> Name) -> Name {
        if let known = settlementsName.load(ordering: .acquiring) { return known.takeUnretainedValue() }
        let made = make()
        settlementsName.store(.passUnretained(made), ordering: .releasing)
        return made
    }

    var settled: Name? { settledName.load(ordering: .acquiring)?.takeUnretainedValue() }
    func settles(_ module: Name) { settledName.store(.passUnretained(module), ordering: .releasing) }

    var alone: UnsafePointer<ModuleID> {
        if let known = UnsafePointer<ModuleID>(bitPattern: aloneAddress.load(ordering: .acquiring)) { return known }
        let made = UnsafeMutablePointer<ModuleID>.allocate(capacity: 1)
        made.initialize(to: ModuleID(self))
        let before = aloneAddress.compareExchange(expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing).original
        guard let known = UnsafePointer<ModuleID>(bitPattern: before) else { return UnsafePointer(made) }
        made.deallocate()
        return known
    }

    private struct Key: Hashable {
        let text: String
        let hash: UInt64

        init(_ text: String) {
            self.text = text
            hash = NameHash.of(text)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
        func _rawHashValue(seed: Int) -> Int { NameHash.seeded(hash, seed) }
        static func == (left: Self, right: Self) -> Bool { left.hash == right.hash && left.text == right.text }
    }

    // lint:allow state.global: names are the same for all modules of a process; nothing is ever changed or taken out, and nobody sees the table
    private static let table = Mutex<[Key: Name]>([:])
}

extension WireError {
    static func tooManyNames(_ text: String) -> WireError {
        WireError(
            .limitExceeded,
            "\(NameGrammar.quoted(text)) would be one name too many: this process has seen \(Name.limit) names of modules and topics, the most that it keeps;"
                + " find out who invents them with relux tap, and restart this process")
    }
}
