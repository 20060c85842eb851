import ReluxBus
import ReluxJournal
import ReluxZeroMQ

/// What this process has on the disk, looked at again while it lives: a script that cleans up may have taken it away.
extension HostRuntime {
    /// Makes anew what can be made anew; ends the process where that would only hide a loss.
    func lookAfterPlace() {
        guard link.isDue("place", every: RunDirectoryWatch.interval) else { return }
        let trouble = DescriptorFence.now.trouble
        if isWelcome, trouble != crowd {
            crowd = trouble
            link.send(.crowded(trouble))
            if let trouble { log(trouble) }
        }
        do {
            try place.look()
            let bound = try transport.holdPlaces()
            if !bound.isEmpty { log("its sockets were gone and are bound again: \(bound.joined(separator: ", "))") }
            if try sealer.keepKey(in: configuration.run.key) { log("the cluster's key was gone and is written again: \(configuration.run.key)") }
        } catch let error as RunDirectoryError where error.code == .lost {
            log(error.message)
            requestEnd()
        } catch let error as ZeroMQError where error.isInUse {
            log("another process has come into its place, and it ends: \(error)")
            requestEnd()
        } catch {
            // A full disk, or a directory that was just taken away again: the next look may do.
            log("\(error)")
        }
        do throws(JournalError) {
            try journals.checkPlaces()
        } catch {
            log("\(error)")
            Self.endBroken(configuration.run)
        }
    }
}
