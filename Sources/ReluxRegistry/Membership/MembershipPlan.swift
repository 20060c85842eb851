package import ReluxControl
package import ReluxWire

/// Who is started where and from which directory, when the registry and the cluster's file differ.
///
/// Design notes. Three are compared: the file, the file as it was at the last start or `relux apply`, and the registry. What somebody has changed
/// while the cluster ran stands against the unchanged file; what somebody has changed in the file since counts where nothing is lost by it. A
/// version is never taken from the file: packing is no wish to serve.
package struct MembershipPlan: Sendable {
    /// What it is for.
    package enum Purpose: Sendable, Hashable {
        /// A start.
        ///
        /// - Parameters:
        ///   - isReset: only what the file names, where the file says.
        ///   - isPacked: from the directories that the file leads to, where their contracts allow that.
        case start(isReset: Bool = false, isPacked: Bool = false)
        /// To name the differences of a cluster that runs.
        case running
    }

    /// What a start declares: the file's hosts in its order, then the others.
    package internal(set) var hosts: [HostSpec] = []
    /// The modules of these hosts.
    package internal(set) var modules: [ModuleID] = []
    package internal(set) var differences: [MembershipDifference] = []
    /// Members that a reset drops; what pends on them is lost.
    package internal(set) var dropped: [ModuleID] = []
    /// Versions that the file leads to and that may not take over, by module: why.
    package internal(set) var refused: [ModuleID: String] = [:]
    /// Why a version that was served cannot be started, by directory.
    var gone: [String: String] = [:]
    /// Versions that lie elsewhere now: the new directory by the former.
    var relocated: [String: String] = [:]

    /// Whether a module is started from that directory which nothing is remembered of; a served one that is gone is the broker's to refuse.
    package func startsUnserved(_ directory: String) -> Bool { gone[directory] == nil && hosts.contains { $0.plugins.contains(directory) } }
}
