/// What of a user's data has still to be told to the place that all of their devices share.
public enum Sync {
    public enum Business {
        public enum Model {}
    }
}
