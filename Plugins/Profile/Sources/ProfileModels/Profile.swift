/// What a user shows of themselves.
public enum Profile {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
