import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

extension HandoverScene {
    /// The old version serves again, alone; nothing of the new one is left.
    func expectOld(because part: String, _ location: SourceLocation = #_sourceLocation) {
        let refusal = answer?.refusal
        #expect(refusal?.code == "hand-over-failed", sourceLocation: location)
        #expect(refusal?.message.contains(part) == true, "\(refusal?.message ?? "no answer")", sourceLocation: location)
        #expect(servers == ["auth"], sourceLocation: location)
        #expect(cluster.phase("Auth") == .ready, sourceLocation: location)
        #expect(cluster.registry.modules["Auth"]?.host == "auth", sourceLocation: location)
        #expect(cluster.registry.modules["Auth"]?.directory == HandoverScene.first, sourceLocation: location)
        #expect(member?.handles == ["Auth.Business.Effect"], sourceLocation: location)
        #expect(member?.standby == nil, sourceLocation: location)
        #expect(cluster.running["Auth"] == nil, sourceLocation: location)
        #expect(cluster.registry.hosts["Auth"] == nil, sourceLocation: location)
        #expect(cluster.registry.handovers.isEmpty, sourceLocation: location)
        #expect(cluster.registry.served["Auth"]?.earlier.isEmpty == true, sourceLocation: location)
        // Nor does a start with what is packed take it.
        var packed = specs
        packed[0].plugins = [HandoverScene.second]
        let plan = cluster.registry.plan(packed, cluster.manifests, for: .start(isPacked: true))
        #expect(plan.hosts.first?.plugins == [HandoverScene.first], "\(plan.differences.map(\.text))", sourceLocation: location)
        let isSaid = cluster.facts.contains { if case .upgradeFailed("Auth", "1.0.0", "2.0.0", _) = $0 { true } else { false } }
        #expect(isSaid, sourceLocation: location)
        #expect(cluster.registry.noteLines.contains { $0.contains("did not come about") }, sourceLocation: location)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)", sourceLocation: location)
    }
}
