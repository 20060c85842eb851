import Foundation
package import ReluxPlugin

/// Asks a library for its declaration in a process of its own, since loading it runs its code and cannot be undone.
package struct HostProcess: Sendable {
    private let executable: String

    /// - Parameter executable: path of `relux-host`.
    package init(executable: String) { self.executable = executable }

    /// What `relux-host --describe <library>` prints.
    package func describe(library: String) throws(PackError) -> ModuleDeclaration {
        let result: Child.Result
        do { result = try Child.run([executable, "--describe", library]) } catch {
            throw PackError(.describe, "\(executable) cannot be started: \(error); build relux-host first")
        }
        guard result.status == 0 else {
            throw PackError(.describe, "\(library) was not described (status \(result.status)): \(result.errors)")
        }
        do { return try JSONDecoder().decode(ModuleDeclaration.self, from: Data(result.output.utf8)) } catch {
            throw PackError(.describe, "\(executable) --describe \(library) printed no declaration: \(error)")
        }
    }
}
