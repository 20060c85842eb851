extension StringProtocol {
    /// Compares bytes: `é` and `e` followed by an accent are one text for Swift, and two ids.
    public func isSpelled(like other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
