extension Relux {
    /// Name and payload of an enum value by reflection, for logs and tests only; never for the wire.
    ///
    /// `caseName` is nil for what is no enum. Associated values print as `label: value`; an unlabelled single one as the
    /// bare value, unlabelled ones of several as `0: value`.
    public struct EnumReflection: Sendable {
        public let typePath: String
        public let caseName: String?
        public let associatedValues: [String]

        public init(_ value: Any) {
            let mirror = Mirror(reflecting: value)
            typePath = Relux.typePath(of: type(of: value))
            guard mirror.displayStyle == .enum else {
                caseName = nil
                associatedValues = mirror.children.map { "\($0.label ?? "_"): \($0.value)" }
                return
            }
            caseName = Self.caseName(of: value)
            guard let child = mirror.children.first else {
                associatedValues = []
                return
            }
            let payload = Mirror(reflecting: child.value)
            guard payload.displayStyle == .tuple else {
                associatedValues = ["\(child.value)"]
                return
            }
            associatedValues = payload.children.enumerated().map { index, element in
                let label = element.label.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 } ?? "\(index)"
                return "\(label): \(element.value)"
            }
        }

        /// Also for an enum that describes itself in other words.
        private static func caseName(of value: Any) -> String? {
            func name<Enum>(of value: Enum) -> String? { enumCaseName(value).map { String(cString: $0) } }
            return _openExistential(value, do: name)
        }
    }
}

extension Relux.Action {
    /// `Effect.login`: the type and the case, without values; the type alone for what is no enum. For logs.
    public var caseName: String {
        let type = String(describing: type(of: self))
        return Relux.EnumReflection(self).caseName.map { "\(type).\($0)" } ?? type
    }

    /// The values that the case carries, `label: value`; for logs.
    public var associatedValues: [String] { Relux.EnumReflection(self).associatedValues }
}

/// The runtime's own name of an enum's case, which `Mirror` has only for cases with a payload.
@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Enum>(_ value: Enum) -> UnsafePointer<CChar>?
