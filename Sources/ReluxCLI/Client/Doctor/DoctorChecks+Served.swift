import Foundation
import ReluxControl
import ReluxPack
import ReluxPlugin
import ReluxRegistry
import ReluxWire

extension DoctorChecks {
    /// The version that is served, or was last, must be there and built for this runtime: every start takes it, whatever was packed since.
    ///
    /// - Parameters:
    ///   - packed: where a start looks for a version whose folder is gone.
    ///   - status: nil when no broker answers; then the registry says it.
    static func served(_ run: RunDirectory, packed: String, _ status: ClusterStatus?) -> [DoctorFinding] {
        guard let status else {
            return ((try? StoppedCluster(run: run))?.served ?? []).compactMap { finding($0.module, $0.directory, packed: packed, isRunning: false) }
        }
        return status.modules.filter { !$0.directory.isEmpty }.compactMap { finding($0.id, $0.directory, packed: packed, isRunning: true) }
    }

    private static func finding(_ module: ModuleID, _ directory: String, packed: String, isRunning: Bool) -> DoctorFinding? {
        let file = "\(directory)/\(PluginManifest.fileName)"
        let other = isRunning ? "relux module upgrade \(module) DIRECTORY" : "relux up --packed"
        guard let data = PlainFile.contents(file) else {
            if let why = FileReason.unread(file) {
                return .init(
                    .fail, "\(module)", "it is served from \(directory), and \(file) cannot be read: \(why); its next start fails",
                    remedy: "mend that, or serve another version: \(other)")
            }
            let same = "\(packed)/\(module)/\(URL(fileURLWithPath: directory).lastPathComponent)"
            if same != directory, FileManager.default.fileExists(atPath: "\(same)/\(PluginManifest.fileName)") {
                // A start of the cluster finds it there by itself, one of the module's process does not.
                guard isRunning else { return nil }
                return .init(
                    .warn, "\(module)", "it is served from \(directory), which is not there any more: another process of it would not find it",
                    remedy: "the same version lies in \(same): relux module upgrade \(module) \(same)")
            }
            return .init(
                .fail, "\(module)", "it is served from \(directory), which is not there any more: its next start fails",
                remedy: "bring that directory back, or serve another version: \(other)")
        }
        guard let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)) else {
            return .init(.fail, "\(module)", "it is served from \(directory), whose manifest cannot be read: its next start fails", remedy: "pack it again, then \(other)")
        }
        if let fault = DamagedPlugin.fault(of: directory, manifest) {
            return .init(
                .fail, "\(module)", "it is served from \(directory), in which \(fault): its next start fails",
                remedy: "\(DamagedPlugin.remedy), or serve another version: \(other)")
        }
        guard manifest.runtimeGuard != reluxRuntimeGuard else { return nil }
        return .init(
            .fail, "\(module)", "it is served from \(directory), which was built for runtime \(manifest.runtimeGuard), and this is \(reluxRuntimeGuard)",
            remedy: "build and pack it again, then relux \(isRunning ? "module load \(module)" : "up") --packed")
    }
}
