public import ReluxWire

/// The contracts of the effect types that come with the platform, which no plugin packs: `Cluster` and `Orchestration`.
///
/// A test extracts them from the built modules and names what is to be written here when one of them has changed.
public enum PlatformContracts {
    public static let fingerprints: [Topic: ContractFingerprint] = [
        "Cluster.Business.Effect": ContractFingerprint(rawValue: 0xa460_0b34_f7d9_ec38),
        "Orchestration.Business.Answer": ContractFingerprint(rawValue: 0xb70d_d326_e654_f8b4),
        "Orchestration.Business.Progress": ContractFingerprint(rawValue: 0xf95b_929f_4a11_3b8b),
        "Orchestration.Business.Request": ContractFingerprint(rawValue: 0x1165_1195_c2a7_dece),
    ]
}
