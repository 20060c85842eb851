import ReluxControl
import ReluxRegistry

extension DoctorChecks {
    static func start(_ findings: [StartFinding]) -> [DoctorFinding] {
        findings.map { .init($0.isFatal ? .fail : .warn, "start", "\($0.name): \($0.text)", remedy: $0.remedy) }
    }

    /// In what the cluster's file and the registry differ, and which builds are packed and do not serve.
    static func differences(_ differences: [MembershipDifference]) -> [DoctorFinding] {
        differences.map { .init(.warn, $0.unserved.map { "\($0)" } ?? "membership", $0.text) }
    }

    /// Tries the start of a stopped cluster without starting it: reports the refusal, or the notices about the state on the disk.
    static func start(_ location: ClusterLocation) -> [DoctorFinding] {
        let lost = try? LostJournals(location.run)
        var findings = (lost?.lines ?? []).map { DoctorFinding(.fail, "journals", $0) } + (lost?.formerLines ?? []).map { .init(.warn, "journals", $0) }
        guard location.run.runningSupervisor() == nil, let configuration = location.configuration else { return findings }
        do throws(CLIError) {
            let told = Set(lost?.lines ?? [])
            let plan = try StartPlan(of: configuration, location.run)
            findings += plan.forecast.filter { !told.contains($0) }.map { .init(.warn, "state", $0) } + differences(plan.members.differences)
        } catch {
            findings.append(.init(.fail, "start", "relux up would start nothing: \(error.message)", remedy: error.hint))
        }
        return findings
    }
}
