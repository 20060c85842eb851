import Glibc

/// Names under which a file that lies in another's place is kept.
package enum FreeName {
    /// A name behind the path that nothing has; nil when a thousand are taken.
    package static func aside(_ path: String) -> String? {
        let name = "\(path).replaced-\(getpid())"
        return (0..<1000).lazy.map { $0 == 0 ? name : "\(name)-\($0)" }.first { !FilePlace.isTaken($0) }
    }
}
