extension StringProtocol {
    /// Byte for byte: Swift takes `é` and `e` with an accent behind it for the same text, and whoever chose an id does not.
    public func isSpelled(like other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
