/// One case of an enum: how a value is put into it and taken out again.
///
/// Written by hand beside the enum, one line a case:
///
/// ```swift
/// extension Main.Action: CasePathable {
///     struct Cases: Sendable {
///         let fileList = CasePath(Main.Action.fileList) { if case .fileList(let action) = $0 { action } else { nil } }
///     }
///     static let cases = Cases()
/// }
/// ```
/// From then on `\.fileList` names the case, and `\.fileList.delegate` a case of the case's own value; `\.files[id: "a"]` is what one
/// element of a collection sends.
@dynamicMemberLookup
public struct CasePath<Root, Value>: Sendable {
    private let embedding: @Sendable (Value) -> Root
    private let extraction: @Sendable (Root) -> Value?

    /// - Parameter extract: the value when the root is of this case, else nil.
    public init(_ embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        embedding = embed
        extraction = extract
    }

    public func embed(_ value: Value) -> Root { embedding(value) }

    /// nil when the root is of another case.
    public func extract(_ root: Root) -> Value? { extraction(root) }

    public subscript<Inner>(dynamicMember path: KeyPath<Value.Cases, CasePath<Value, Inner>>) -> CasePath<Root, Inner>
    where Value: CasePathable {
        let inner = Value.cases[keyPath: path]
        return CasePath<Root, Inner>({ embed(inner.embed($0)) }, extract: { extract($0).flatMap(inner.extract) })
    }
}

extension CasePath where Value == Void {
    /// A case without a value.
    public init(_ root: Root, is matches: @escaping @Sendable (Root) -> Bool) where Root: Sendable {
        self.init(constant(root), extract: presence(matches))
    }
}

private func constant<Root: Sendable>(_ root: Root) -> @Sendable (()) -> Root { { _ in root } }
private func presence<Root>(_ matches: @escaping @Sendable (Root) -> Bool) -> @Sendable (Root) -> Void? { { matches($0) ? () : nil } }

/// An enum whose cases can be named by key paths.
public protocol CasePathable: SendableMetatype {
    associatedtype Cases
    static var cases: Cases { get }
}

/// `\.child`, `\.child.delegate`: a case of `Root`.
public typealias CaseKeyPath<Root: CasePathable, Value> = KeyPath<Root.Cases, CasePath<Root, Value>>

extension CasePathable {
    /// Whether the value is of that case.
    public func `is`<Value>(_ path: CaseKeyPath<Self, Value>) -> Bool { Self.cases[keyPath: path].extract(self) != nil }

    /// The value that the case carries; nil for another case.
    public subscript<Value>(case path: CaseKeyPath<Self, Value>) -> Value? { Self.cases[keyPath: path].extract(self) }
}
