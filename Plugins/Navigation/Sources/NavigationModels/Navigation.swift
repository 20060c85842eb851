/// Where the user is: the pages on top of each other.
public enum Navigation {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
