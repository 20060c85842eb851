package import Relux
package import ReluxControl

extension Ledger {
    /// Nobody needs the journal of a module that is no member: what waits for members stands in their own journals as done.
    ///
    /// - Parameter isDone: what the journal of the recipient says of that sequence of the stream.
    package func isServed(
        members: [ModuleID: ClusterPicture.Member], isDone: (_ sequence: UInt64, StreamID, _ recipient: ModuleID) -> Bool
    ) -> Bool {
        streams.allSatisfy { topic, state in
            state.isSettled
                || state.pending.allSatisfy { entry in
                    entry.outstanding.allSatisfy { recipient in
                        // With a membership goes all that was meant for it.
                        guard let member = members[recipient] else { return true }
                        if !topic.isReserved {
                            guard member.since <= entry.memberVersion, member.handles.contains(topic) else { return true }
                        }
                        return isDone(entry.sequence, StreamID(publisher: module, topic: topic), recipient)
                    }
                }
        }
    }
}
