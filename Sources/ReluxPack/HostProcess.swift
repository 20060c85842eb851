import Foundation
package import ReluxPlugin

/// Asks a library for its declaration and its enums' raw values in a process of its own, since loading it runs its code and cannot be undone.
package struct HostProcess: Sendable {
    private let executable: String

    /// - Parameter executable: path of `relux-host`.
    package init(executable: String) { self.executable = executable }

    /// The declaration that `relux-host --describe <library>` prints.
    package func describe(library: String) throws(PackError) -> ModuleDeclaration {
        try ask(["--describe", library], "no declaration")
    }

    /// The raw values that `relux-host --raw-values <library>` prints.
    /// - Parameter enums: the number of cases by the type's mangled name without its `$s`.
    package func rawValues(library: String, enums: [String: Int]) throws(PackError) -> [String: [String]] {
        try ask(
            ["--raw-values", library] + enums.sorted { $0.key < $1.key }.flatMap { ["--enum", "\($0.key):\($0.value)"] },
            "no raw values")
    }

    private func ask<Answer: Decodable>(_ arguments: [String], _ lack: String) throws(PackError) -> Answer {
        let (flag, library) = (arguments[0], arguments[1])
        let result: Child.Result
        do { result = try Child.run([executable] + arguments) } catch {
            throw PackError(.describe, "\(executable) cannot be started: \(FileReason.of(error)); build relux-host first")
        }
        guard result.status == 0 else {
            let reason = result.errors.trimmingCharacters(in: .whitespacesAndNewlines)
            throw PackError(.describe, "\(library) was not described (status \(result.status)): \(reason)")
        }
        do { return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8)) } catch {
            throw PackError(.describe, "\(executable) \(flag) \(library) printed \(lack): \(error)")
        }
    }
}
