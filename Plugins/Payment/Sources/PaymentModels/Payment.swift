/// Money taken, and given back.
public enum Payment {
    public enum Business {
        public enum Model {}
    }
}
