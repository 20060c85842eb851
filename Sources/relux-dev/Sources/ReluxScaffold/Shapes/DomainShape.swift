/// In which shape a domain is written; each can be had with each.
package struct DomainShape: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Four products: the service lives in `ReluxImpl` until it is worth its own.
    package static let hybrid = DomainShape(rawValue: 1)
    /// A product more, `<Domain>Kit`, which hands on all that a client needs by one import.
    package static let kit = DomainShape(rawValue: 2)
    /// Two packages in the domain's folder: who depends on the interfaces never builds what does the work.
    package static let split = DomainShape(rawValue: 4)
    /// It loads its items by the clock too.
    package static let schedule = DomainShape(rawValue: 8)
}
