extension Relux.Suspicion {
    /// Others wait no longer for a suspect that does not come.
    static let patience = Duration.seconds(5)

    /// How long after the opening of its module a suspect may begin alone.
    static let budget = Duration.seconds(16)

    /// How long a suspect, and what runs beside it, has nothing else beside it; twice as long with each of the first deaths, for some kill slowly.
    static func loneliness(after deaths: Int) -> Duration { .seconds(1) * (1 << min(max(deaths, 1) - 1, 4)) }
}

extension Relux.Suspect {
    /// After this many deaths, the last of them alone, an effect is not handled again.
    package static let deathLimit = 5
    var isCondemned: Bool { deaths >= Self.deathLimit && wasAlone }
}
