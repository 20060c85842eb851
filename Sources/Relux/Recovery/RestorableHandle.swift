import ReluxWire

extension Relux {
    /// A restorable state without its type: how it is read, encoded, decoded and restored.
    struct RestorableHandle: Sendable {
        let name: String
        let version: UInt32
        let identity: ObjectIdentifier
        /// Reads the value now; encoding it may wait.
        let read: @Sendable () async -> @Sendable () -> Result<[UInt8], Failure>
        /// Decodes or migrates first, and touches the state only when the returned closure is called.
        let restoration: @Sendable (CapturedState) throws -> @Sendable () async -> Void
        /// Versions that ``older`` can be asked for.
        let olderVersions: [UInt32]
        /// Encodes a state that was captured in today's version in the shape of an older one.
        let older: @Sendable (CapturedState, UInt32) throws -> [UInt8]

        init(_ state: some RestorableState, codingInfo: [CodingUserInfoKey: any Sendable]) {
            self = Self.make(state, codingInfo: codingInfo)
        }

        private init(
            name: String, version: UInt32, identity: ObjectIdentifier,
            read: @escaping @Sendable () async -> @Sendable () -> Result<[UInt8], Failure>,
            restoration: @escaping @Sendable (CapturedState) throws -> @Sendable () async -> Void,
            olderVersions: [UInt32], older: @escaping @Sendable (CapturedState, UInt32) throws -> [UInt8]
        ) {
            self.name = name
            self.version = version
            self.identity = identity
            self.read = read
            self.restoration = restoration
            self.olderVersions = olderVersions
            self.older = older
        }

        private static func make<State: RestorableState>(
            _ state: State, codingInfo: [CodingUserInfoKey: any Sendable]
        ) -> Self {
            let (name, version) = (State.storedName, State.storedVersion)
            return Self(
                name: name, version: version, identity: ObjectIdentifier(state),
                read: {
                    let stored = await state.stored
                    return { encoded(stored, name: name, codingInfo: codingInfo) }
                },
                restoration: { captured in
                    let stored =
                        captured.version == version
                        ? try CBOR.decode(State.Stored.self, from: captured.bytes, userInfo: codingInfo)
                        : try State.migrate(
                            StoredValue(version: captured.version, bytes: captured.bytes, codingInfo: codingInfo))
                    return { await state.restore(stored) }
                },
                olderVersions: State.olderVersions,
                older: { captured, version in
                    let stored = try CBOR.decode(State.Stored.self, from: captured.bytes, userInfo: codingInfo)
                    return try encoded(State.older(stored, version: version), name: name, codingInfo: codingInfo).get()
                })
        }

        private static func encoded(
            _ stored: some Encodable, name: String, codingInfo: [CodingUserInfoKey: any Sendable]
        ) -> Result<[UInt8], Failure> {
            do {
                let bytes = try CBOR.encode(stored, userInfo: codingInfo)
                guard bytes.count > WireRecord.payloadByteLimit else { return .success(bytes) }
                return .failure(
                    .coding(
                        "\(name) has \(bytes.count) bytes when stored, the limit is \(WireRecord.payloadByteLimit); keep less in it"))
            } catch {
                return .failure(.coding("\(name) could not be stored: \(error); let all of its `Stored` be encodable"))
            }
        }
    }
}
