import Relux
import ReluxControl
import ReluxSystem
import ReluxWire

/// The files of this process and of its modules.
struct HostPlace {
    let run: RunDirectory
    private var watch: RunDirectoryWatch
    /// Parts of the run directory that cannot be had, as of the last look.
    private(set) var troubles: [String] = []
    private(set) var held: HeldFiles
    /// The news to be told of the files of modules that live here.
    private(set) var news: [ModuleID: String] = [:]

    init(_ run: RunDirectory, process: String) {
        self.run = run
        watch = RunDirectoryWatch(run, process: process)
        held = HeldFiles(run)
    }

    var isAtRest: Bool { troubles.isEmpty && !held.isSuspicious }

    /// - Returns: troubles that the last look did not show.
    mutating func look() throws -> [String] {
        let last = troubles
        troubles = try watch.look()
        return troubles.filter { !last.contains($0) }
    }

    /// Called before the module opens any of its files.
    ///
    /// - Returns: what has become of them, when that is new.
    mutating func begin(_ id: ModuleID) -> String? {
        let found = ModuleFiles(run).begin(id.rawValue)
        held.begin(run.stateName(of: id.rawValue))
        defer { news[id] = found }
        return found == news[id] ? nil : found
    }

    /// Looks at what modules keep by themselves. A folder that is gone is made again.
    ///
    /// - Returns: whether files were taken away that a module goes on writing where nobody will find them, and a line for each thing found.
    mutating func lookAfterFiles(of ids: [ModuleID]) -> (isLost: Bool, lines: [String]) {
        let taken = held.look()
        var (isLost, lines) = (false, [String]())
        for id in ids {
            let folder = run.state(of: id.rawValue)
            let name = run.stateName(of: id.rawValue)
            if let names = taken[name] ?? (held.isFolderTaken(name) ? ["all that was in it"] : nil) {
                lines.append("files of \(id) in \(folder) were taken away while it runs: \(names.joined(separator: ", ")); this process ends")
                ModuleFiles(run).take(names, from: id.rawValue)
                isLost = true
            } else if FileIdentity(path: folder) == nil {
                lines.append("the folder of \(id) was gone and is made again: \(folder)")
                // Fails as whatever the module itself does there: it says so.
                _ = try? run.createState(of: id.rawValue)
            }
        }
        return (isLost, lines)
    }
}
