import Foundation
import Glibc
import ReluxLoader

/// The installation that this program lies in, made by `deploy/install` or a package. Two files describe it: `installation.json`, and `SHA256SUMS` of the others.
struct Installation: Sendable {
    private struct Note: Decodable {
        let schema: String
        let version: String
        let configuration: String
        /// The sum of `SHA256SUMS` itself.
        let sums: String
        let files: [File]
    }

    private struct File: Decodable {
        let name: String
        let size: UInt64
        let executable: Bool
    }

    /// Where the programs lie.
    let folder: String
    /// The version that was installed.
    let version: String
    /// The cluster's file that was installed; it may have been taken away since.
    let configuration: String
    private let sums: String
    private let files: [File]

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
        sums = note.sums
        files = note.files
        configuration = URL(fileURLWithPath: "\(folder)/\(note.configuration)").standardizedFileURL.path
    }

    static let remedy = "install it again (deploy/install, apt-get install --reinstall relux, or unpack the archive again)"

    /// The files that are not as they were installed, each with what is wrong.
    /// - Parameter isThorough: whether it compares the contents too, and not only presence, size and mode.
    func faults(isThorough: Bool) -> [String] {
        let found = files.compactMap(fault)
        return found.isEmpty && isThorough ? changed() : found
    }

    private func fault(_ file: File) -> String? {
        let path = "\(folder)/\(file.name)"
        var status = stat()
        guard stat(path, &status) == 0 else { return "\(path) is missing" }
        guard status.st_mode & S_IFMT == S_IFREG else { return "\(path) is no file" }
        guard UInt64(status.st_size) == file.size else { return "\(path) has \(status.st_size) bytes instead of \(file.size)" }
        guard !file.executable || access(path, X_OK) == 0 else { return "\(path) is not executable" }
        return nil
    }

    private func changed() -> [String] {
        let path = "\(folder)/SHA256SUMS"
        guard let data = FileManager.default.contents(atPath: path) else { return ["\(path) cannot be read: \(String(cString: strerror(errno)))"] }
        guard sha256([UInt8](data)) == sums else { return ["\(path) is not the file that was installed"] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            // `<64 digits>  <name>`, as sha256sum writes it.
            let file = "\(folder)/\(line.dropFirst(66))"
            guard let contents = FileManager.default.contents(atPath: file) else { return "\(file) cannot be read: \(String(cString: strerror(errno)))" }
            return sha256([UInt8](contents)) == line.prefix(64) ? nil : "\(file) is not the file that was installed"
        }
    }

    /// - Throws: `installation.incomplete`: what is missing or of another version would end whatever is started, in its own words.
    func mustBeWhole() throws(CLIError) {
        let faults = faults(isThorough: false)
        guard let first = faults.first else { return }
        let others = faults.count == 1 ? "" : ", and \(faults.count - 1) more"
        throw CLIError(.failed, "installation.incomplete", "the installation in \(folder) is not whole: \(first)\(others)", hint: Self.remedy)
    }
}

extension Console {
    /// The installation of this program; nil where it runs from a build.
    /// - Throws: `installation.unreadable`.
    var installation: Installation? { get throws(CLIError) { try Installation(in: executableDirectory) } }
}
