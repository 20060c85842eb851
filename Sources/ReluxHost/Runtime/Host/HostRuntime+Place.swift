import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxSystem
import ReluxWire
import ReluxZeroMQ

/// The place of this process on the disk, looked at again while it lives: a script that cleans up may have taken it away.
extension HostRuntime {
    /// Makes anew what can be made anew; ends the process where that would only hide a loss.
    func lookAfterPlace() {
        guard link.isDue("place", every: RunDirectoryWatch.interval) else { return }
        let now = DescriptorFence.now
        if machine.isWelcome, now.trouble != told.fence?.trouble {
            told.fence = now
            link.send(.crowded(now.trouble))
            if let trouble = now.trouble { log(trouble) }
        }
        do {
            try place.look().forEach(log)
            let bound = try transport.holdPlaces()
            if !bound.isEmpty { log("its sockets were gone and are bound again: \(bound.joined(separator: ", "))") }
            if try openings.sealer.keepKey(in: configuration.run.key) { log("the cluster's key was gone and is written again: \(configuration.run.key)") }
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
        // Files that a departed module still has open are nobody's any more.
        let (isLost, lines) = place.lookAfterFiles(of: served.keys.sorted())
        lines.forEach(log)
        // Each further answer would be about what is lost.
        if isLost { Self.endBroken(configuration.run, ProcessExit.filesTaken) }
        do throws(JournalError) {
            try openings.journals.checkPlaces()
        } catch {
            log("\(error)")
            Self.noteTaken(openings.journals, in: configuration.run)
            Self.endBroken(configuration.run)
        }
    }

    /// Ends the process where journals were taken away, or exchanged, under it: the modules' next lives tell of it.
    static func noteTaken(_ journals: ModuleJournals, in run: RunDirectory) {
        let taken = journals.taken()
        guard !taken.isEmpty else { return }
        for id in taken.keys.sorted() {
            StandardError.write("relux-host: the journal of \(id) in \(run.journal(of: id.rawValue)) was taken away while it runs; this process ends")
            ModuleFiles(run).takeJournal(of: id.rawValue)
        }
        endBroken(run, ProcessExit.filesTaken)
    }
}
