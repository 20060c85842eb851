extension String {
    /// The text, cut to `byteLimit` bytes of UTF-8; what is cut ends with `…`, never within a character's bytes. For texts that people read.
    package func cut(to byteLimit: Int) -> String {
        guard utf8.count > byteLimit else { return self }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: Swift.max(0, byteLimit - mark.utf8.count))
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end]) + mark
    }
}
