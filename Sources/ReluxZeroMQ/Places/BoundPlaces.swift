import ReluxSystem

/// The endpoints that a process listens at: the right to their paths, and whether the paths still name its sockets.
///
/// If the file of a bound socket is deleted, its owner listens where nobody comes. The owner notices, as it looks from time to time,
/// and binds again. libzmq ends the connections that came through the old binding; peers connect again by themselves, so a ROUTER's need a
/// routing id of their own. Endpoints that are no ipc paths need none of this and are passed over.
package struct BoundPlaces: ~Copyable, Sendable {
    private static let scheme = "ipc://"

    private struct Place {
        let endpoint: String
        let path: String
        var bound: FileIdentity?
    }
    /// One for all of them, at the first one's path.
    private var lock: SocketLock?
    private var places: [Place]

    /// Takes the right to the endpoints, before any of them is bound.
    ///
    /// - Throws: as ``SocketLock``; who is refused has touched nothing.
    package init(_ endpoints: [String]) throws(ZeroMQError) {
        places = endpoints.filter { $0.hasPrefix(Self.scheme) }.map { Place(endpoint: $0, path: String($0.dropFirst(Self.scheme.count))) }
        if let first = places.first { lock = try SocketLock(socketPath: first.path) } else { lock = nil }
    }

    /// Remembers what was just bound at the endpoint.
    package mutating func noteBound(_ endpoint: String) {
        for index in places.indices where places[index].endpoint == endpoint {
            places[index].bound = FileIdentity(path: places[index].path)
        }
    }

    /// The endpoints whose sockets are gone from their paths: unbind and bind them again, then ``noteBound(_:)``. What lies there in their place is
    /// set aside.
    ///
    /// - Throws: `EADDRINUSE` when another process has come into this one's place; else what keeps the lock from being made anew.
    package mutating func lost() throws(ZeroMQError) -> [String] {
        guard lock != nil else { return [] }
        _ = try lock?.hold()
        let lost = places.filter { $0.bound != nil && FileIdentity(path: $0.path) != $0.bound }
        for place in lost { try SocketLock.clear(place.path) }
        return lost.map(\.endpoint)
    }
}
