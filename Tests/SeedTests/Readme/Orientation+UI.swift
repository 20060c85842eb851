// Seed 1, "SwiftUI Usage". Edit: the relay is `@Observable` and comes by `@Environment(_:)`; the seed's `@EnvironmentObject` is
// for an `ObservableObject`, which needs Combine.
#if canImport(SwiftUI)
import SwiftUI

struct MyView: View {
    @Environment(OrientationRelay.self) var orientationRelay

    var body: some View {
        Text("Orientation: \(orientationRelay.value.orientation)")
    }
}
#endif
