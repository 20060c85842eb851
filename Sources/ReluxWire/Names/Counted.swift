extension BinaryInteger {
    /// `1 effect`, `2 effects`: a number with its noun, for people.
    ///
    /// - Parameter many: the other form, where it is not the first with an `s` behind: `1 effect was`, `2 effects were`.
    package func counted(_ one: String, _ many: String? = nil) -> String { "\(self) \(self == 1 ? one : many ?? one + "s")" }
}
