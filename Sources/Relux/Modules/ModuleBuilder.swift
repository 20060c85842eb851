extension Relux {
    /// Builds the list of `register { … }`, in source order; takes `if`, `for`, optionals and arrays.
    @resultBuilder
    public enum ModuleBuilder {
        public static func buildExpression(_ module: any Relux.Module) -> [any Relux.Module] { [module] }
        public static func buildExpression(_ module: (any Relux.Module)?) -> [any Relux.Module] {
            module.map { [$0] } ?? []
        }
        public static func buildExpression(_ modules: [any Relux.Module]) -> [any Relux.Module] { modules }
        public static func buildBlock(_ parts: [any Relux.Module]...) -> [any Relux.Module] { parts.flatMap { $0 } }
        public static func buildOptional(_ part: [any Relux.Module]?) -> [any Relux.Module] { part ?? [] }
        public static func buildEither(first: [any Relux.Module]) -> [any Relux.Module] { first }
        public static func buildEither(second: [any Relux.Module]) -> [any Relux.Module] { second }
        public static func buildArray(_ parts: [[any Relux.Module]]) -> [any Relux.Module] { parts.flatMap { $0 } }
    }
}
