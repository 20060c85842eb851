import ArgumentParser

struct CompletionCommand: SessionCommand {
    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Prints the completion script of a shell.",
        discussion: "It completes the words of relux-dev too, when that program is beside this one or in PATH as the script is printed.")
    static let examples = [
        "relux completion bash > ~/.local/share/bash-completion/completions/relux", "source <(relux completion zsh)",
    ]

    @Argument(help: "The shell.") var shell: Shell
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let shells: [Shell: CompletionShell] = [.bash: .bash, .zsh: .zsh, .fish: .fish]
        let own = ReluxCommand.completionScript(for: shells[shell] ?? .bash)
        let authors = HelperProgram.find(HelperProgram.authors, session.console).flatMap { AuthorsCompletion.script(of: $0, shell) }
        session.print(authors.map { AuthorsCompletion.joined(shell, own: own, authors: $0, words: HelperProgram.words) } ?? own)
        return .ok
    }
}
