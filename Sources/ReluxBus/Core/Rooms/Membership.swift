import Relux
import ReluxControl

/// The broker's last word on the members. Pure.
struct Membership: Sendable {
    private(set) var picture: ClusterPicture?
    /// Asked so on the way of each effect, and not by looking at the picture.
    private(set) var isKnown = false
    private(set) var members: [ModuleID: ClusterPicture.Member] = [:]

    /// - Returns: the members before; nil for a picture that is not later than the last one, and is ignored.
    mutating func apply(_ new: ClusterPicture) -> [ModuleID: ClusterPicture.Member]? {
        if let picture, picture.version >= new.version { return nil }
        let before = members
        picture = new
        isKnown = true
        members = Dictionary(new.members.map { ($0.module, $0) }, uniquingKeysWith: { first, _ in first })
        return before
    }

    /// The module was a recipient when that membership held, and has been one ever since.
    func isRecipient(_ module: ModuleID, since version: UInt64) -> Bool {
        // In place, or all that the picture has of it would be copied.
        guard isKnown else { return true }
        guard let place = members.index(forKey: module) else { return false }
        return members.values[place].since <= version
    }
}
