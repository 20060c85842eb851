/// The modules' start-up work and pages, by importance, before the cluster is used.
public enum StartupOrchestration {}
