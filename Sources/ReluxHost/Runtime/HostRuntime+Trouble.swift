import Relux
import ReluxBus
import ReluxJournal

/// Troubles that keep a module from being set up now and may pass: the disk is full or cannot be written, or a predecessor still writes.
enum PassingTrouble {
    static func isPassing(_ error: any Error) -> Bool {
        switch error {
        case let error as JournalError: error.mayPass || error.code == .locked
        case let error as JournalRefusal: error.isTemporary
        case let error as OpenTableError: error.mayPass
        case let error as RunDirectoryError: error.mayPass
        default: false
        }
    }

    static func text(of error: any Error) -> String {
        (error as? JournalRefusal)?.description ?? "\(error)" + (error is OpenTableError ? "; free room on this disk, or let this user write there" : "")
    }
}

extension HostRuntime {
    /// How long a module that could not be set up waits before it is tried again.
    static let pause = Duration.milliseconds(500)

    /// The module waits and says why; its neighbours in this process go on.
    func tryAgainLater(_ id: ModuleID, _ epoch: Epoch, because why: String) {
        let state = ModuleState(.recovering, why: why)
        if modules[id]?.state != state {
            log("\(id) waits: \(why)")
            setState(id, state)
        }
        // Outlives this step on purpose: it is the timer.
        Task {
            try await Task.sleep(for: Self.pause)
            inTurn { await $0.joinAgain(id, epoch) }
        }
    }

    private func joinAgain(_ id: ModuleID, _ epoch: Epoch) async {
        // Removed meanwhile, or begun anew under another epoch.
        guard let module = modules[id], module.node == nil, module.state.phase == .recovering, module.ordered == epoch else { return }
        readLastTables(of: [id])
        // Others whose handlers ran with it may have joined by now.
        wasAlone = false
        await join(id, epoch)
        if modules[id]?.node != nil {
            setState(id, ModuleState(.recovering))
            sayStored(id)
        }
        proceedJoining()
    }
}
