/// An action's case with the cases inside, as it is written in code.
func describeCase(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return "\(value)" }
    guard let child = mirror.children.first else { return ".\(value)" }
    let payload = Mirror(reflecting: child.value)
    let name = "." + (child.label ?? "?")
    switch payload.displayStyle {
    case .enum: return "\(name)(\(describeCase(child.value)))"
    case .tuple:
        let fields = payload.children.map { field in
            let label = field.label.map { $0.first == "." ? "" : "\($0): " } ?? ""
            return label + describeCase(field.value)
        }
        return "\(name)(\(fields.joined(separator: ", ")))"
    default: return child.value is String ? "\(name)(\"\(child.value)\")" : "\(name)(\(child.value))"
    }
}

/// The case that a key path names, `\.files<Action><Delegate>`: of the cases inside the runtime knows the type alone.
func describeCase(at path: AnyKeyPath) -> String {
    "\(path)".replacing(/\.<computed 0x[0-9a-f]+ \(CasePath<.*?, (.*?)>\)>/) { "<\($0.1)>" }.replacing("\\Cases.", with: "\\.")
}
