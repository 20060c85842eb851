public import Relux
public import ReluxWire

/// The interface of the built-in node: the broker says with its effects what it does.
///
/// Any module may handle `Cluster.Business.Effect`; only the broker emits it.
public enum Cluster {
    public enum Business {
        public enum Effect: Relux.Effect, Hashable {
            /// The module's declaration was accepted: from now on it is a recipient of what it handles.
            case moduleDeclared(module: ModuleID)
            case moduleStarting(module: ModuleID)
            /// `milliseconds` from the start of its process to ready.
            case moduleReady(module: ModuleID, epoch: UInt64, milliseconds: UInt64)
            case moduleWaiting(module: ModuleID, why: String)
            case moduleDraining(module: ModuleID)
            case moduleStopped(module: ModuleID)
            /// `code` names the broken rule, for example `layer.domainToDomain`.
            case moduleRefused(module: ModuleID, code: String, message: String)
            /// Its process is started again after the delay.
            case moduleBackoff(module: ModuleID, milliseconds: UInt64, why: String)
            /// Its process is not started again until somebody asks for it.
            case moduleQuarantined(module: ModuleID, why: String)
            /// One life of the module is over, however it ended: handed over, drained, evicted or dead. What it kept in memory is gone.
            case instanceEnded(module: ModuleID, epoch: UInt64)
            /// One instance of the module is dead; what pended on it waits for its next life.
            case moduleLost(module: ModuleID, why: String)
            /// Another instance serves it now: version `from` became `to` (the same ones after a move), in the process of `host`.
            /// Nothing was handled for `pauseMilliseconds`.
            case moduleUpgraded(module: ModuleID, from: String, to: String, host: String, pauseMilliseconds: UInt64)
            /// The hand-over did not come about; version `from` goes on.
            case upgradeFailed(module: ModuleID, from: String, to: String, why: String)
            /// It is no member any more, without a drain; what pended on it settles as lost.
            case moduleEvicted(module: ModuleID, why: String)
            /// `status` in words (`signal 9 (SIGKILL)`); `report` is the crash report's path, empty if there is none.
            case hostExited(host: String, status: String, report: String)
            /// All three phases are over: the ingress is open.
            case clusterReady
        }
    }
}
