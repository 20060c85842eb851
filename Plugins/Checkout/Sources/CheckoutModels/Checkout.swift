/// The way from a paid basket to an order.
public enum Checkout {
    public enum Business {
        public enum Model {}
    }

    public enum UI {
        public enum Model {}
    }
}
