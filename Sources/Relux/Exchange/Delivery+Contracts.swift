extension Relux.Delivery.Contracts {
    /// The text that follows the reason why a payload could not be read; empty when nothing is known of either contract.
    var remark: String {
        switch (said, read) {
        case (0, 0): ""
        case (0, _): "; it was said by somebody who named no contract, this module was built with \(Self.text(read))"
        case (_, 0): "; it was said under contract \(Self.text(said)), the one that this module was built with is not known"
        case (read, _): "; both sides were built with contract \(Self.text(said)), so that its bytes are not what the contract says"
        default:
            "; it was said under contract \(Self.text(said)), this module was built with \(Self.text(read)):"
                + " build and upgrade the one that is behind"
        }
    }

    /// As manifests and contract files have it: 16 hexadecimal digits.
    private static func text(_ fingerprint: UInt64) -> String {
        let digits = String(fingerprint, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
