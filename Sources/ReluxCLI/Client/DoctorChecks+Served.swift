import Foundation
import ReluxBroker
import ReluxBus
import ReluxPlugin
import ReluxWire

extension DoctorChecks {
    /// What is served, or was last, must be there and built for this runtime: every start takes it, whatever was packed since.
    ///
    /// - Parameter status: nil when no broker answers; then the registry says it.
    static func served(_ run: RunDirectory, _ status: ClusterStatus?) -> [DoctorFinding] {
        guard let status else { return ((try? StoppedCluster(run: run))?.served ?? []).compactMap { finding($0.module, $0.directory, isRunning: false) } }
        return status.modules.filter { !$0.directory.isEmpty }.compactMap { finding($0.id, $0.directory, isRunning: true) }
    }

    private static func finding(_ module: ModuleID, _ directory: String, isRunning: Bool) -> DoctorFinding? {
        let file = "\(directory)/\(PluginManifest.fileName)"
        let other = isRunning ? "relux module upgrade \(module) DIRECTORY" : "relux up --packed"
        guard let data = FileManager.default.contents(atPath: file) else {
            return .init(
                .fail, "\(module)", "it is served from \(directory), which is not there any more: its next start fails",
                remedy: "bring that directory back, or serve another version: \(other)")
        }
        guard let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)) else {
            return .init(.fail, "\(module)", "it is served from \(directory), whose manifest cannot be read: its next start fails", remedy: "pack it again, then \(other)")
        }
        guard manifest.runtimeGuard != reluxRuntimeGuard else { return nil }
        return .init(
            .fail, "\(module)", "it is served from \(directory), which was built for runtime \(manifest.runtimeGuard), and this is \(reluxRuntimeGuard)",
            remedy: "build and pack it again, then relux \(isRunning ? "module load \(module)" : "up") --packed")
    }
}
