import ReluxSupervisor

extension CommandSession {
    func noteUnreadVariables() {
        // The file is read for those only that may need it.
        guard console.environment.keys.contains(where: { $0.hasPrefix("RELUX_") }) else { return }
        for note in EnvironmentNames.notes(console.environment, modules: (try? location())?.modules) { say("note: \(note)") }
    }
}
