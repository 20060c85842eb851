internal import AuthReluxInt
internal import LibraryReluxInt
internal import ProfileReluxInt
public import Relux
internal import SettingsReluxInt

extension SessionOrchestration {
    public struct Module: Relux.Plugin {
        public static let version = "1.0.0"
        public static var kind: Relux.ModuleKind { .orchestrator }
        public static var handles: [any Relux.Effect.Type]? {
            [
                Auth.Business.Effect.self, Profile.Business.Effect.self, Settings.Business.Effect.self,
                Library.Business.Effect.self, SessionOrchestration.Effect.self,
            ]
        }
        public static var emits: [any Relux.Effect.Type]? {
            [
                Auth.Business.Effect.self, Profile.Business.Effect.self, Settings.Business.Effect.self,
                Library.Business.Effect.self,
            ]
        }

        public let states: [any Relux.AnyState] = []  // Always empty
        public let sagas: [any Relux.Saga]

        public init() {
            self.sagas = [Saga()]
        }
    }
}
