/// The user's data across Auth, Notes, Files and Sync, which do not know each other.
public enum DataOrchestration {}
