extension Unicode.Scalar {
    /// Whether it steers a terminal, breaks a line, or turns the direction of what stands beside it: text of others is shown with an escape for it.
    ///
    /// The two joiners (U+200C, U+200D) are left alone: without them Persian words and families of emoji are other ones.
    package var isSteering: Bool {
        guard value >= 0x7f else { return value < 0x20 }
        switch properties.generalCategory {
        case .format: return self != "\u{200c}" && self != "\u{200d}"
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
