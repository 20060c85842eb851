/// A program and its arguments; found in `PATH` when it is named without a slash.
package struct StepCommand: Hashable, Sendable {
    package let words: [String]

    package init(_ words: [String]) { self.words = words }

    /// As it can be typed: words with other letters than the usual are quoted.
    package var text: String {
        words.map { word in
            let isPlain = !word.isEmpty && word.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || "/._-+=:,@%".utf8.contains(byte)
            }
            return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
        }.joined(separator: " ")
    }
}
