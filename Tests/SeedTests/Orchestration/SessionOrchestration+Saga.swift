// Seed 0, "Saga Implementation".
import Relux

// Edit: the seed never declares the namespace.
public enum SessionOrchestration {}

extension SessionOrchestration {
    public actor Saga: Relux.Saga {
        public init() {}
        
        public func apply(_ effect: any Relux.Effect) async {
            await handleAuthEffect(effect)
            await handleProfileEffect(effect)
            // Edit: without this call the seed's own effects are handled nowhere. The seed calls `handleSettingsEffect` here and
            // prints no such handler: it is left out.
            await handleOwnEffect(effect)
        }
    }
}
