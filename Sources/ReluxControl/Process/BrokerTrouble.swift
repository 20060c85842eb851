import ReluxSystem

/// That brokers die before they have said anything to the supervisor, one after the other: whoever asks them cannot be told by them.
///
/// The supervisor writes it into `<run>/broker.trouble`, and takes it away when a broker speaks.
package struct BrokerTrouble: Codable, Sendable, Equatable {
    /// The pid of the supervisor that wrote it.
    package var supervisor: Int32
    /// Brokers that have died, in a row.
    package var deaths: Int
    /// How the last one ended: `exit 74`, `signal 6 (SIGABRT)`.
    package var status: String
    /// The reason that the last broker gave; empty when it gave none.
    package var words: String

    package init(supervisor: Int32, deaths: Int, status: String, words: String) {
        self.supervisor = supervisor
        self.deaths = deaths
        self.status = status
        self.words = words
    }

    /// This many deaths in a row are no chance: whoever waits for a broker is told.
    package static let manyDeaths = 8

    /// For people: `8 brokers have died at their start, the last one by exit 74: …`.
    package var text: String {
        "\(deaths) brokers in a row have died at their start, the last one by \(status)" + (words.isEmpty ? "" : ": \(words)")
    }
}

extension RunDirectory {
    private var brokerTroubleFile: String { path + "/broker.trouble" }

    /// The note of the supervisor that runs now; nil while a broker serves.
    package var brokerTrouble: BrokerTrouble? {
        let trouble = NoteFile.read(BrokerTrouble.self, from: brokerTroubleFile)
        return trouble?.supervisor == runningSupervisor() ? trouble : nil
    }

    /// Why the supervisor's note cannot be there, for whoever has found none; nil when nothing is in its way.
    package var brokerTroubleHindrance: String? {
        FilePlace.stranger(brokerTroubleFile).map { "\(brokerTroubleFile) is \($0), and the supervisor's note of brokers that die belongs there" }
    }

    /// Called by the supervisor; nil takes the note away.
    ///
    /// - Returns: a line for its log when something was in the way.
    @discardableResult
    package func note(_ trouble: BrokerTrouble?) -> String? {
        if let trouble { NoteFile.write(trouble, to: brokerTroubleFile) } else { NoteFile.remove(brokerTroubleFile) }
    }
}
