package import ReluxControl

/// Names, limits and times of a ``Registry``; all defaults are in its initialiser.
package struct RegistryConfiguration: Sendable {
    package var brokerPid: Int32
    /// Where the built-in node `Cluster` speaks; without it that node is no member.
    package var brokerHost: ClusterPicture.Host?
    /// False where systemd or Kubernetes starts the hosts: the phases then gate readiness only.
    package var supervised: Bool
    /// Host processes that are between their start and their `hello` at the same time.
    package var startsAtOnce: Int
    /// A host that says no `hello`, or a module that is not ready, for this long holds up nobody any more.
    package var startPatience: Duration
    /// A host that gave no sign of life for this long is asked for one.
    package var pingInterval: Duration
    /// A host that has answered nothing for this long is asked, whatever it says by itself.
    package var connectionInterval: Duration
    /// A connected host that says nothing for this long is taken for hung or dead.
    package var silenceLimit: Duration
    /// A module whose executor answers no ping for this long has its host restarted.
    package var stallLimit: Duration
    /// From the order to drain to the cut; the host's own limit is 5 s.
    package var drainLimit: Duration
    /// From the order to give a module up to its answer; it includes the drain.
    package var sealLimit: Duration
    /// As long a module that is served but not ready may delay its own upgrade.
    package var readyPatience: Duration
    /// A module that is quarantined for this long is evicted; zero: never.
    package var evictAfter: Duration
    /// From the order to stop a host to the belief that it is gone.
    package var stopLimit: Duration
    /// The ingress keeps so much of requests.
    package var ingress: Ingress.Limits

    package init(
        brokerPid: Int32 = 0, brokerHost: ClusterPicture.Host? = nil, supervised: Bool = true, startsAtOnce: Int = 8,
        startPatience: Duration = .seconds(30), pingInterval: Duration = .seconds(1), connectionInterval: Duration = .seconds(60),
        silenceLimit: Duration = .seconds(5), stallLimit: Duration = .seconds(60),
        drainLimit: Duration = .seconds(7), sealLimit: Duration = .seconds(15), readyPatience: Duration = .seconds(5),
        evictAfter: Duration = .seconds(24 * 3600), stopLimit: Duration = .seconds(15), ingress: Ingress.Limits = Ingress.Limits()
    ) {
        self.brokerPid = brokerPid
        self.brokerHost = brokerHost
        self.supervised = supervised
        self.startsAtOnce = startsAtOnce
        self.startPatience = startPatience
        self.pingInterval = pingInterval
        self.connectionInterval = connectionInterval
        self.silenceLimit = silenceLimit
        self.stallLimit = stallLimit
        self.drainLimit = drainLimit
        self.sealLimit = sealLimit
        self.readyPatience = readyPatience
        self.evictAfter = evictAfter
        self.stopLimit = stopLimit
        self.ingress = ingress
    }
}
