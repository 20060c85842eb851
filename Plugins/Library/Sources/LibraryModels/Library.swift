/// A reader's files: to list, to play and to delete, once the reader has logged in.
public enum Library {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
