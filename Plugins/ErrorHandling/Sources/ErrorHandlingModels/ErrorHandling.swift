/// What went wrong anywhere, in one place.
public enum ErrorHandling {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
