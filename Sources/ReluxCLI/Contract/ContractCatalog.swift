import ReluxControl
import ReluxOutput
import ReluxPlugin
import ReluxWire

/// All effects of the cluster, by the contracts that its modules were packed with.
struct ContractCatalog: Sendable {
    /// One case of one topic, as it was asked for.
    struct Target: Sendable, Hashable {
        let topic: Topic
        let contract: CaseContract
    }

    /// Sorted by topic.
    let topics: [TopicContract]

    /// Nil for a topic that has no contract.
    func fingerprint(of topic: Topic) -> ContractFingerprint? { topics.first { $0.topic == topic }?.fingerprint }

    init(topics: some Sequence<TopicContract>) {
        self.topics = Dictionary(topics.map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })
            .values.sorted { $0.topic < $1.topic }
    }

    /// - Throws: `failed` when a contract is of a format that this build does not know.
    init(answer: [ModuleID: ByteString]) throws(CLIError) {
        var topics: [TopicContract] = []
        for (module, bytes) in answer.sorted(by: { $0.key < $1.key }) where !bytes.bytes.isEmpty {
            do {
                topics += try CBOR.decode(Contract.self, from: bytes.bytes).topics
            } catch {
                throw CLIError(
                    .failed, "contract.unreadable", "the contract of \(module) cannot be read: \(error)",
                    hint: "pack it with this relux")
            }
        }
        self.init(topics: topics)
    }

    /// Splits `Auth.Business.Effect.login` into topic and case.
    ///
    /// - Throws: `usage` naming the nearest known effect.
    func target(_ name: String) throws(CLIError) -> Target {
        if let topic = topics.first(where: { $0.topic.rawValue == name }) {
            if let only = topic.cases.first, topic.cases.count == 1, only.name.isEmpty {
                return Target(topic: topic.topic, contract: only)
            }
            let cases = topic.cases.map { "\(name).\($0.name)" }
            throw CLIError(
                .usage, "effect.caseMissing", "'\(name)' is a topic; name one of its cases too",
                hint: "known are: \(cases.joined(separator: ", "))")
        }
        let dot = name.lastIndex(of: ".") ?? name.startIndex
        if let topic = topics.first(where: { $0.topic.rawValue == name[..<dot] }) {
            let asked = String(name[name.index(after: dot)...])
            if let found = topic.cases.first(where: { $0.name == asked }) {
                return Target(topic: topic.topic, contract: found)
            }
            throw CLIError(
                .notFound, "effect.unknownCase", "\(topic.topic) has no case '\(asked)'",
                hint: NearestName.hint(asked, among: topic.cases.map(\.name)))
        }
        throw CLIError(
            .notFound, "effect.unknownTopic", "no module of the cluster has the effect '\(name)'",
            hint: meant(name) ?? "`relux effect ls` shows what there is")
    }

    /// Why the effect cannot be sent from here, when a module handles its topic and none says what is in it; nil when that is not why.
    func unwritten(_ name: String, _ status: ClusterStatus) -> CLIError? {
        let dot = name.lastIndex(of: ".") ?? name.startIndex
        let topics = [name, String(name[..<dot])].filter { topic in !self.topics.contains { $0.topic.rawValue == topic } }
        for topic in topics {
            let handlers = status.modules.filter { module in module.handles.contains { $0.rawValue == topic } }.map(\.id.rawValue)
            guard !handlers.isEmpty else { continue }
            return CLIError(
                .notFound, "effect.noContract",
                "\(handlers.joined(separator: ", ")) handles \(topic), and no module has a contract of it: what is in its effects is not known here",
                hint: "declare the effects in the plugin's interface library, from which `relux module pack` reads the contract, and pack it again")
        }
        return nil
    }

    /// `did you mean 'Auth.Business.Effect.login'?`, of a name that is written nearly like it or leaves something of it out; nil when none is.
    func meant(_ name: String) -> String? {
        if let meant = NearestName.meant(name, among: paths) ?? NearestName.question(NearestName.spelledOut(name, among: paths)) { return meant }
        let modules = Set(topics.compactMap { $0.topic.rawValue.split(separator: ".").first.map(String.init) }).sorted()
        return NearestName.of(name, among: modules).map { "`relux effect ls '\($0).**'` shows its effects" }
    }

    /// Every effect as it is named on the command line.
    var paths: [String] {
        topics.flatMap { topic in topic.cases.map { $0.name.isEmpty ? topic.topic.rawValue : "\(topic.topic).\($0.name)" } }
    }
}

extension CaseContract {
    /// `(email: String, password: Secret<String>, nickname: String?)`
    var signature: String {
        if fields.isEmpty { return "" }
        let list = fields.map { field in
            let isPosition = field.label.hasPrefix("_") && Int(field.label.dropFirst()) != nil
            return (isPosition ? "" : "\(field.label): ") + field.type + (field.optional ? "?" : "")
        }
        return "(\(list.joined(separator: ", ")))"
    }
}
