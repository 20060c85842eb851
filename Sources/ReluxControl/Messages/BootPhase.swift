/// How far the start of the cluster has come. It only moves forward, except to `closing`.
package enum BootPhase: String, Codable, Sendable, Hashable {
    /// Nobody has declared yet what belongs to the cluster.
    case idle
    case infrastructure, domains, orchestrators
    /// All three are over: the ingress is open, and what is added starts at once.
    case open
    case closing
}
