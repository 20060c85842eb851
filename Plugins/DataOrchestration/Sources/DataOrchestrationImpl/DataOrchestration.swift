/// The user's data across Auth and Notes, which do not know each other.
public enum DataOrchestration {}
