import Relux

/// In which life each publisher was heard, and in which its host has named its streams. Pure.
struct PublisherLives: Sendable {
    private(set) var heard: [ModuleID: Epoch] = [:]
    /// The life that the publisher's host has named to all modules here: streams of another life are not opened.
    private(set) var named: [ModuleID: Epoch] = [:]
    /// Publishers that have spoken in a life that is not named.
    private(set) var unnamed: Set<ModuleID> = []
    /// Publishers of which a life was left behind on the courier's word; they have not heard how far we had come.
    private var unheard: Set<ModuleID> = []

    /// A publisher speaks in that life. A later life goes on with its streams.
    ///
    /// - Returns: false when a later one was heard already.
    mutating func hear(_ publisher: ModuleID, _ epoch: Epoch) -> Bool {
        if let known = heard[publisher], epoch <= known { return epoch == known }
        heard[publisher] = epoch
        // Its host may have answered our marker before it had joined there: then nobody has told us which streams it does not know any more.
        if named[publisher] != epoch { unnamed.insert(publisher) }
        return true
    }

    mutating func name(_ publisher: ModuleID, _ epoch: Epoch) {
        named[publisher] = epoch
        unnamed.remove(publisher)
    }

    /// The life in which the publisher speaks, if its host has named it; else its host is asked.
    mutating func namedLife(of publisher: ModuleID) -> Epoch? {
        if let epoch = heard[publisher], named[publisher] == epoch { return epoch }
        unnamed.insert(publisher)
        return nil
    }

    mutating func takeUnnamed() -> Set<ModuleID> {
        defer { unnamed = [] }
        return unnamed
    }

    mutating func leaveBehind(_ publisher: ModuleID) { unheard.insert(publisher) }

    /// The publisher speaks for itself again; true when a life of it was left behind.
    mutating func recall(_ publisher: ModuleID) -> Bool { !unheard.isEmpty && unheard.remove(publisher) != nil }

    /// The module is here now. Hosts have named their streams for the modules of before: they have to say again where a stream goes on for the newcomer.
    mutating func welcome(_ module: ModuleID) {
        heard[module] = nil
        named = [:]
    }

    mutating func forget(_ publishers: Set<ModuleID>) {
        for id in publishers { (heard[id], named[id]) = (nil, nil) }
        unnamed.subtract(publishers)
        unheard.subtract(publishers)
    }
}
