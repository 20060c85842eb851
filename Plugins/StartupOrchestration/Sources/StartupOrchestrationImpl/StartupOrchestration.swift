/// What has to be done, and shown, before the cluster is used: what the modules contribute, in the order of its importance.
public enum StartupOrchestration {}
