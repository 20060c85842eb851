import Foundation

/// Completes the words of `relux-dev` behind `relux`, by the script that it prints itself.
enum AuthorsCompletion {
    /// - Parameters:
    ///   - own: the script of `relux`.
    ///   - authors: the one of `relux-dev`, for the same shell.
    ///   - words: the words of `relux-dev`.
    static func joined(_ shell: CompletionCommand.Shell, own: String, authors: String, words: [String]) -> String {
        let list = words.joined(separator: " ")
        switch shell {
        case .bash:
            return """
                \(own)
                \(authors)

                _relux_and_authors() {
                    if [[ "${COMP_CWORD}" -eq 1 ]]; then
                        _relux "${@}"
                        COMPREPLY+=($(compgen -W '\(list)' -- "${COMP_WORDS[1]}"))
                    elif [[ ' \(list) ' == *" ${COMP_WORDS[1]} "* ]]; then
                        _relux-dev relux-dev "${@:2}"
                    else
                        _relux "${@}"
                    fi
                }

                complete -o filenames -F _relux_and_authors relux
                """
        case .zsh:
            return """
                \(body(own, of: "relux").replacingOccurrences(of: "\n_relux() {\n", with: "\n_relux_own() {\n"))
                \(body(authors, of: "relux-dev").replacingOccurrences(of: "#compdef relux-dev\n", with: ""))
                _relux() {
                    if (( CURRENT > 2 )) && [[ ' \(list) ' == *" ${words[2]} "* ]]; then
                        words[1]=relux-dev
                        _relux-dev "${@}"
                    elif (( CURRENT == 2 )); then
                        compadd -- \(list)
                        _relux_own "${@}"
                    else
                        _relux_own "${@}"
                    fi
                }

                if [[ "${funcstack[1]}" = _relux ]]; then
                    _relux "${@}"
                else
                    compdef _relux relux
                fi
                """
        case .fish:
            return """
                \(own)
                \(authors)

                # What relux has itself is not offered behind their words.
                for part in positional flags_or_options
                    functions -c __relux_should_offer_completions_for_$part __relux_own_$part
                end
                function __relux_should_offer_completions_for_positional
                    not contains -- (commandline -opc)[2] \(list); and __relux_own_positional $argv
                end
                function __relux_should_offer_completions_for_flags_or_options
                    not contains -- (commandline -opc)[2] \(list); and __relux_own_flags_or_options $argv
                end
                complete -c 'relux' -n 'test (count (commandline -opc)) -eq 1' -fa '\(list)' -d 'For authors'
                complete -c 'relux' -n 'contains -- (commandline -opc)[2] \(list)' -fa '(complete -C (string replace -r "^\\s*\\S+" relux-dev -- (commandline -cp)))'
                """
        }
    }

    /// A script of zsh without its last lines, which say what it completes.
    private static func body(_ script: String, of command: String) -> String {
        script.range(of: "\nif [[ \"${funcstack[1]}\" = _\(command) ]]; then", options: .backwards).map { String(script[..<$0.lowerBound]) + "\n" } ?? script
    }

    /// The program's script; nil when it cannot be had.
    static func script(of program: String, _ shell: CompletionCommand.Shell) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--generate-completion-script", shell.rawValue]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit, !text.isEmpty else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
