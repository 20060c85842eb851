/// The changes of a user's data that the place shared by their devices has not been told.
public enum Sync {
    public enum Business {
        public enum Model {}
    }
}
