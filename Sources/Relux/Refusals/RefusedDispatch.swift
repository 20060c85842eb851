package import ReluxWire

extension Relux {
    /// A dispatch that ended without being accepted: no stream has it, and nobody hears of it but by what is kept here.
    package struct RefusedDispatch: Sendable, Hashable {
        /// In whose name it was dispatched.
        package var module: ModuleID
        /// Topic of the effect, or path of a plain action's type; not checked, for it may be refused for its name.
        package var topic: String
        /// Empty where there is none, or it is no name.
        package var caseName: String
        /// From the root to the effect whose handler dispatched it; at most `EffectContext.ancestryLimit`, of a longer chain the root and the end.
        package var ancestry: [EffectID]
        package var label: String
        package var site: Site
        package var failure: Failure

        package init(
            module: ModuleID, topic: String, caseName: String = "", ancestry: [EffectID] = [], label: String = "", site: Site, failure: Failure
        ) {
            self.module = module
            self.topic = topic
            self.caseName = caseName.utf8.count <= Self.nameByteLimit && caseName.utf8.allSatisfy(Self.isOfName) ? caseName : ""
            self.ancestry =
                ancestry.count <= EffectContext.ancestryLimit
                ? ancestry : Array(ancestry.prefix(1)) + ancestry.suffix(EffectContext.ancestryLimit - 1)
            self.label = label
            self.site = site
            self.failure = failure
        }

        /// `Auth.Business.Effect.login`.
        package var path: String { caseName.isEmpty ? topic : "\(topic).\(caseName)" }

        /// A client names cases as it likes, and a log shows them.
        private static let nameByteLimit = 200
        private static func isOfName(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }
    }
}

extension Relux.Site {
    /// `Module/File.swift:41`; the file alone where there is no line.
    package var place: String { line > 0 ? "\(file):\(line)" : file }
}
