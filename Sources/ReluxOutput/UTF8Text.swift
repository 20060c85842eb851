/// Whether bytes are a text.
package enum UTF8Text {
    /// The offset of the first byte that no UTF-8 text has there; nil for a text.
    package static func fault(in bytes: some Sequence<UInt8>) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }

    /// The fault in the arguments of this process: they are bytes, and a byte that is replaced makes another text of them. Nil for none.
    package static func faultInArguments() -> String? {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index] else { continue }
            let bytes = UnsafeBufferPointer(start: word, count: length(of: word)).lazy.map { UInt8(bitPattern: $0) }
            if let offset = fault(in: bytes) { return "argument \(index) is not UTF-8 text: its byte \(offset) cannot stand there" }
        }
        return nil
    }

    private static func length(of word: UnsafePointer<CChar>) -> Int {
        var count = 0
        while word[count] != 0 { count += 1 }
        return count
    }
}
