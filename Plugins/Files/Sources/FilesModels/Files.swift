/// What a user keeps as a whole: texts under a name.
public enum Files {
    public enum Business {
        public enum Model {}
    }
}
