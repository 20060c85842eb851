/// What a user is about to buy.
public enum Cart {
    public enum Business {
        public enum Model {}
    }
}
