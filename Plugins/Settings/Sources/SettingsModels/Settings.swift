/// A user's preferences.
public enum Settings {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
