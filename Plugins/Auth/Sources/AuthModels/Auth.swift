/// Accounts and sessions: who somebody is, and how they prove it.
public enum Auth {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
