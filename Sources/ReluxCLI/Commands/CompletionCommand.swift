import ArgumentParser

struct CompletionCommand: SessionCommand {
    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Prints the completion script of a shell.")
    static let examples = [
        "relux completion bash > ~/.local/share/bash-completion/completions/relux", "source <(relux completion zsh)",
    ]

    @Argument(help: "The shell.") var shell: Shell
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let shells: [Shell: CompletionShell] = [.bash: .bash, .zsh: .zsh, .fish: .fish]
        session.print(ReluxCommand.completionScript(for: shells[shell] ?? .bash))
        return .ok
    }
}
