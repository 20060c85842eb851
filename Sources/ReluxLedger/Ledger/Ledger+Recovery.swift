package import Relux
package import ReluxControl

extension Ledger {
    /// The facts that the module's exchange has to know of the module's earlier lives.
    ///
    /// - Parameters:
    ///   - epoch: of the life that begins.
    ///   - last: which handlers ran when the last life ended without a word.
    ///   - wasAlone: there was one of them in all of that process.
    ///   - userInfo: for coding, with the cluster's key.
    package func recovery(
        epoch: Epoch, last: OpenTableFormat.Contents? = nil, wasAlone: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) -> Relux.Recovery {
        var recovery = Relux.Recovery()
        recovery.start = epoch.start
        recovery.position = max(position, epoch.start)
        for (topic, stream) in streams where !topic.isReserved {
            recovery.sequences[topic] = stream.head
            for entry in stream.pending { recovery.pending[EffectID(module: module, position: entry.position)] = entry.outstanding }
        }
        for (cause, entry) in causes {
            recovery.emissions[cause] = entry.emissions.map { emission in
                let id = EffectID(module: module, position: emission.position)
                return Relux.Recovery.Emission(
                    id: id, topic: emission.topic, payload: emission.payload.bytes,
                    result: recovery.pending[id] == nil || !emission.answers.isEmpty
                        ? Self.result(of: emission.answers, userInfo) : nil)
            }
            if !entry.kept.isEmpty { recovery.once[cause] = entry.kept.mapValues(\.bytes) }
        }
        for (position, request) in requests.all where isPending(request) && !request.answers.isEmpty {
            recovery.partial[EffectID(module: module, position: position)] = Self.result(of: request.answers, userInfo)
        }
        for (name, state) in states {
            recovery.states[name] = Relux.CapturedState(
                name: name, version: UInt32(clamping: state.version), bytes: Array(state.value), reduced: state.reduced)
        }
        recovery.schedules = schedules.mapValues(Relux.SchedulePlace.init)
        recovery.suspects = last.map { suspects(of: $0, wasAlone) } ?? []
        let open = Set(recovery.suspects.map(\.effect))
        recovery.carried = attempts.values.filter { !open.contains($0.effect) }
            .map { Relux.Suspect(effect: $0.effect, deaths: Int(clamping: $0.deaths), wasAlone: $0.wasAlone) }
            .sorted { $0.effect < $1.effect }
        return recovery
    }

    /// The suspects of the last death. Earlier suspicions of an effect say nothing of it: the table knows whether it is the effect's own. Those that
    /// had been alone for long enough come last: the others have not had as much.
    private func suspects(of last: OpenTableFormat.Contents, _ wasAlone: Bool) -> [Relux.Suspect] {
        let released = Set(last.released)
        let ordered = last.open.filter { !released.contains($0) } + last.open.filter(released.contains)
        return ordered.compactMap { effect in
            let (attempt, deaths) = (attempts[effect], Int(clamping: attempts[effect]?.deaths ?? 0))
            let wasAlone = wasAlone && !released.contains(effect)
            // No death of theirs; those that were suspects go on as such, for their deaths count on.
            if last.isInnocent { return attempt.map { _ in Relux.Suspect(effect: effect, deaths: max(1, deaths), wasAlone: false) } }
            if last.isJournaled {
                return Relux.Suspect(effect: effect, deaths: max(1, deaths), wasAlone: wasAlone || attempt?.wasAlone == true)
            }
            // A handler that runs beside a suspect is there because the suspect needs it.
            return Relux.Suspect(effect: effect, deaths: deaths + 1, wasAlone: wasAlone || last.charged.contains(effect))
        }
    }

    /// An effect that came in through the ingress under a request id.
    package struct RecoveredRequest: Sendable {
        package var request: String
        package var effect: EffectID
        /// All that has been answered; nil while nothing has, and when it was forgotten.
        package var result: Relux.ActionResult?
        package var isPending: Bool
        package var awaiting = Relux.Awaiting.present
        /// See ``Request/forgottenBytes``.
        package var forgottenBytes: Int?
    }

    /// Oldest first.
    package func recoveredRequests(userInfo: [CodingUserInfoKey: any Sendable]) -> [RecoveredRequest] {
        requests.all.sorted { $0.key < $1.key }.map { position, request in
            let isPending = isPending(request)
            let isOpen = isPending && request.answers.isEmpty || request.forgottenBytes != nil
            return RecoveredRequest(
                request: request.request, effect: EffectID(module: module, position: position),
                result: isOpen ? nil : Self.result(of: request.answers, userInfo), isPending: isPending,
                awaiting: request.isForEveryone ? .everyone : .present, forgottenBytes: request.forgottenBytes)
        }
    }

    /// All that was answered to an effect of the ingress that is settled; nil while it is not, or when it is not remembered.
    package func answer(to position: UInt64, userInfo: [CodingUserInfoKey: any Sendable]) -> Relux.ActionResult? {
        guard let request = requests.all[position], !isPending(request), request.forgottenBytes == nil else { return nil }
        return Self.result(of: request.answers, userInfo)
    }

    /// The merged answers of an emission that is settled; without any it had no recipient.
    private static func result(
        of answers: [Answer], _ userInfo: [CodingUserInfoKey: any Sendable]
    ) -> Relux.ActionResult {
        var merged = Relux.ActionResult(isUnhandled: answers.isEmpty)
        for answer in answers {
            merged.merge(
                ResultCoding.decode(answer.result.bytes[...], status: answer.status, from: answer.recipient, userInfo: userInfo))
        }
        return merged
    }
}
