/// A purchase across Auth, Cart, Checkout and Payment, which do not know each other.
public enum CommerceOrchestration {}
