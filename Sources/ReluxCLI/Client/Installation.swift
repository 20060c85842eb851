import Foundation
import ReluxLoader

/// What `deploy/install` or a package has put where this program lies, as two files beside it say: `installation.json`, and `SHA256SUMS` of all that lies there.
struct Installation: Sendable {
    private struct Note: Decodable {
        let schema: String
        let version: String
        let configuration: String
    }

    /// Where the programs lie.
    let folder: String
    /// The version that was installed.
    let version: String
    /// The cluster's file that was installed; it may have been taken away since.
    let configuration: String

    /// Nil where this program runs from a build.
    /// - Throws: `installation.unreadable`.
    init?(in folder: String) throws(CLIError) {
        let path = "\(folder)/installation.json"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path), let note = try? JSONDecoder().decode(Note.self, from: data),
            note.schema == "relux.installation/1"
        else {
            throw CLIError(
                .failed, "installation.unreadable", "\(path) does not say what is installed: it is no relux.installation/1", hint: Self.remedy)
        }
        self.folder = folder
        version = note.version
        configuration = URL(fileURLWithPath: "\(folder)/\(note.configuration)").standardizedFileURL.path
    }

    static let remedy = "install it again (deploy/install, or apt-get install --reinstall relux)"

    /// The files that are not as they were installed, each with what is wrong.
    /// - Throws: `installation.unreadable`, without the sums.
    /// - Parameter isThorough: whether their contents are compared, and not only whether they are there.
    func faults(isThorough: Bool) throws(CLIError) -> [String] {
        let path = "\(folder)/SHA256SUMS"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CLIError(.failed, "installation.unreadable", "\(path) cannot be read: \(String(cString: strerror(errno)))", hint: Self.remedy)
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            // `<64 digits>  <name>`, as sha256sum writes it.
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2, parts[0].utf8.count == 64 else { return "\(path): '\(line.prefix(80))' is no sum of a file" }
            let file = "\(folder)/\(parts[1].drop { $0 == " " })"
            guard FileManager.default.fileExists(atPath: file) else { return "\(file) is missing" }
            guard isThorough else { return nil }
            guard let contents = FileManager.default.contents(atPath: file) else { return "\(file) cannot be read: \(String(cString: strerror(errno)))" }
            return sha256([UInt8](contents)) == parts[0] ? nil : "\(file) is not the file that was installed"
        }
    }

    /// - Throws: `installation.incomplete`: what is missing would end whatever is started, in its own words.
    func mustBeWhole() throws(CLIError) {
        let faults = try faults(isThorough: false)
        guard let first = faults.first else { return }
        let others = faults.count == 1 ? "" : ", and \(faults.count - 1) more"
        throw CLIError(.failed, "installation.incomplete", "the installation in \(folder) is not whole: \(first)\(others)", hint: Self.remedy)
    }
}

extension Console {
    /// What this program was installed as; nil where it runs from a build.
    /// - Throws: `installation.unreadable`.
    var installation: Installation? { get throws(CLIError) { try Installation(in: executableDirectory) } }
}
