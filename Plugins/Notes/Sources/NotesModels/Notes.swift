/// What a user writes down.
public enum Notes {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
