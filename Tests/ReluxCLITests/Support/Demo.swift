@testable import ReluxCLI
import ReluxControl
import ReluxPlugin
import ReluxWire

/// A cluster as a broker would tell it.
enum Demo {
    private static let tab = PayloadShape(.text, type: "Auth.Tab", values: ["one", "zwei"])

    static let contract = Contract(topics: [
        TopicContract(
            topic: "Auth.Business.Effect",
            cases: [
                CaseContract(
                    name: "login",
                    fields: [
                        FieldContract(label: "email", type: "String", shape: PayloadShape(.text)),
                        FieldContract(
                            label: "password", type: "Secret<String>",
                            shape: PayloadShape(.sealed, of: [PayloadShape(.text)])),
                    ]),
                CaseContract(name: "logout", doc: "Ends the session.\nWithout one nothing happens."),
                CaseContract(
                    name: "configure",
                    fields: [
                        FieldContract(label: "attempts", type: "UInt8", shape: PayloadShape(.int)),
                        FieldContract(label: "ratio", type: "Double", optional: true, shape: PayloadShape(.double)),
                        FieldContract(
                            label: "users", type: "[Auth.User]",
                            shape: PayloadShape(
                                .array,
                                of: [
                                    PayloadShape(
                                        .structure, type: "Auth.User",
                                        fields: [
                                            FieldContract(label: "name", type: "String", shape: PayloadShape(.text)),
                                            FieldContract(
                                                label: "role", type: "Auth.Role",
                                                shape: PayloadShape(
                                                    .enumeration, type: "Auth.Role",
                                                    cases: [CaseContract(name: "admin"), CaseContract(name: "guest")])),
                                            FieldContract(
                                                label: "friends", type: "[Auth.User]", optional: true,
                                                shape: PayloadShape(.array, of: [PayloadShape(.reference, type: "Auth.User")])),
                                        ])
                                ])),
                    ]),
                CaseContract(
                    name: "tagged",
                    fields: [
                        FieldContract(label: "_0", type: "Bool", shape: PayloadShape(.bool)),
                        FieldContract(label: "data", type: "ByteString", optional: true, shape: PayloadShape(.bytes)),
                        FieldContract(
                            label: "scores", type: "[String: Int]", optional: true,
                            shape: PayloadShape(.map, of: [PayloadShape(.text), PayloadShape(.int)])),
                        FieldContract(label: "own", type: "Auth.Own", optional: true, shape: nil),
                    ]),
                CaseContract(
                    name: "bounded",
                    fields: [
                        FieldContract(
                            label: "list", type: "[UInt8?]", optional: true,
                            shape: PayloadShape(.array, of: [PayloadShape(.optional, of: [PayloadShape(.int)])])),
                        FieldContract(
                            label: "map", type: "[String: [UInt8]]", optional: true,
                            shape: PayloadShape(
                                .map, of: [PayloadShape(.text), PayloadShape(.array, of: [PayloadShape(.int)])])),
                        FieldContract(
                            label: "pin", type: "Secret<UInt8>", optional: true,
                            shape: PayloadShape(.sealed, of: [PayloadShape(.int)])),
                    ]),
                CaseContract(
                    name: "chosen",
                    fields: [
                        FieldContract(
                            label: "tab", type: "Auth.Tab", optional: true, shape: tab),
                        FieldContract(
                            label: "level", type: "Auth.Level", optional: true,
                            shape: PayloadShape(.int, type: "Auth.Level", values: ["-3", "100"])),
                        FieldContract(
                            label: "tabs", type: "[Auth.Tab: Auth.Tab]", optional: true,
                            shape: PayloadShape(
                                .map, of: [tab, tab])),
                        FieldContract(
                            label: "hidden", type: "Secret<Auth.Tab>", optional: true,
                            shape: PayloadShape(.sealed, of: [tab])),
                    ]),
            ]),
        TopicContract(
            topic: "Auth.Opened",
            cases: [CaseContract(name: "", fields: [FieldContract(label: "tab", type: "String", shape: PayloadShape(.text))])]),
    ])

    static var catalog: ContractCatalog { ContractCatalog(topics: contract.topics) }

    static func contracts() throws -> ClientResponse.Body {
        .contracts(["Auth": ByteString(try CBOR.encode(contract))])
    }

    static func module(
        _ id: ModuleID, _ kind: String, _ state: ModuleState, pid: Int32, imports: [String] = []
    ) -> ClusterStatus.Module {
        var counters = ModuleCounters()
        counters.emitted = 12
        counters.handled = 7
        return ClusterStatus.Module(
            id: id, version: "1.4.0", kind: kind, state: state, host: HostID(rawValue: id.rawValue), pid: pid, epoch: Epoch(3),
            restarts: 1, counters: counters, handles: id == "Auth" ? ["Auth.Business.Effect"] : [],
            emits: ["Auth.Business.Effect"], imports: imports, directory: "/packed/\(id)/1.4.0-abc",
            readyMilliseconds: state.phase == .ready ? 41 : 0)
    }

    static let status = ClusterStatus(
        brokerPid: 100, supervisorPid: 99, phase: .domains, picture: ClusterPicture(version: 1, members: [], hosts: []),
        modules: [
            module("Auth", "domain", ModuleState(.ready), pid: 101),
            module(
                "Session", "orchestrator", ModuleState(.waiting, why: "imports NotesReluxInt,\u{1b}[2J which is missing"),
                pid: 102, imports: ["AuthReluxInt"]),
        ],
        notes: [ClusterNote("Session emits Auth.Business.Effect")])
}
