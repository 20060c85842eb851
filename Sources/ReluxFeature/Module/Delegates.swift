import Relux

/// The way of a root's delegates out of the module: one after the other, in the order in which the store has handled them.
@MainActor
final class Delegates {
    private struct Waiting {
        var effect: any Relux.Effect
        var dispatcher: Relux.Dispatcher
        var report: @Sendable (FeatureIssue) -> Void
    }

    var dispatcher: Relux.Dispatcher
    private let fileID: StaticString
    private let line: UInt
    private let onIssue: (@Sendable (FeatureIssue) -> Void)?
    private var waiting: [Waiting] = []
    private var saying: Task<Void, Never>?

    init(dispatcher: Relux.Dispatcher, fileID: StaticString, line: UInt, onIssue: (@Sendable (FeatureIssue) -> Void)?) {
        self.dispatcher = dispatcher
        self.fileID = fileID
        self.line = line
        self.onIssue = onIssue
    }

    /// Says it with the cause that stands here and now.
    func say(_ effect: any Relux.Effect) {
        waiting.append(Waiting(effect: effect, dispatcher: dispatcher.loosened(), report: onIssue ?? FeatureIssue.currentReporter))
        guard saying == nil else { return }
        // Unstructured on purpose: the store does not wait.
        saying = Task {
            while !waiting.isEmpty { await accept(waiting.removeFirst()) }
            saying = nil
        }
    }

    /// Returns when all that was said so far is accepted, or refused and reported.
    func accepted() async { await saying?.value }

    private func accept(_ next: Waiting) async {
        let (effect, report) = (next.effect, next.report)
        await next.dispatcher.accept(effect, fileID: fileID, functionName: "delegate", lineNumber: line) { result in
            for failure in result.failures {
                report(FeatureIssue("the delegate \(Relux.typePath(of: type(of: effect)))\(caseText(effect)) did not succeed: \(failure)"))
            }
        }
    }
}
