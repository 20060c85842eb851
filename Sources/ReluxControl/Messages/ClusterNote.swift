package import ReluxWire

/// A line for `relux status` and `relux doctor` on what is allowed but looks wrong, or did not fit.
package struct ClusterNote: Codable, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Codable, Sendable, Hashable {
        /// Something stands still until a disk can write.
        case disk
        case journal, files, refusals
        /// A build that was started has given way to the one that was served last.
        case returned
        case other

        /// The beginning of a line of the kind; empty for the last two.
        package var prefix: String {
            switch self {
            case .disk, .journal, .files, .refusals: "\(rawValue): "
            case .returned, .other: ""
            }
        }
    }
    package var kind: Kind
    /// The module that it is about; nil where none is named.
    package var module: ModuleID?
    package var text: String

    package init(_ text: String) { self.init(.other, text) }
    package init(_ kind: Kind, _ text: String, of module: ModuleID? = nil) { (self.kind, self.module, self.text) = (kind, module, text) }

    package var description: String { kind.prefix + text }
}

extension ClusterStatus {
    package var noteLines: [String] { notes.map(\.description) }
}
