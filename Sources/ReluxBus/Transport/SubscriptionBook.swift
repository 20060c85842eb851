import ReluxControl

/// How much each peer of an XPUB has subscribed. Pure.
///
/// Design notes. libzmq keeps a node of some fifty bytes for each byte of a subscription, of whomever, without a limit. What a peer has
/// ended by itself is its again; when a connection ends, libzmq does not say whose subscriptions those were, so everybody's count begins anew:
/// too little is counted then for those who stay, never too much.
struct SubscriptionBook: Sendable {
    /// The bytes that one peer may have subscribed: a host that hears a thousand topics takes about a seventh of them.
    static let byteLimit = BusCounters.subscriptionLimit
    /// The cost of a subscription besides its bytes.
    static let overhead = 32
    /// Peers whose count is kept.
    private static let peerLimit = 4096

    private var bytes: [String: Int] = [:]

    /// A subscription or its end, as an XPUB gets it: 1 or 0, then the topic.
    ///
    /// - Parameter peer: nil when a connection has ended.
    /// - Returns: true when the peer has subscribed too much; its count begins anew.
    mutating func heard(_ frame: [UInt8], from peer: String?) -> Bool {
        guard let mark = frame.first else { return false }
        guard let peer else {
            if mark == 0 { bytes = [:] }
            return false
        }
        let cost = frame.count - 1 + Self.overhead
        if mark == 0 {
            let left = (bytes[peer] ?? 0) - cost
            bytes[peer] = left > 0 ? left : nil
            return false
        }
        guard mark == 1 else { return false }
        if bytes.count >= Self.peerLimit, bytes[peer] == nil { bytes = [:] }
        bytes[peer, default: 0] += cost
        guard bytes[peer, default: 0] > Self.byteLimit else { return false }
        bytes[peer] = nil
        return true
    }
}
