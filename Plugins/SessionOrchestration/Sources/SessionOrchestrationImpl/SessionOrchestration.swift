/// The user's session across Auth, Profile and Settings, which do not know each other.
public enum SessionOrchestration {}
