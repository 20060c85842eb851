/// The user's session across Auth, Profile, Settings and Library, which do not know each other.
public enum SessionOrchestration {}
