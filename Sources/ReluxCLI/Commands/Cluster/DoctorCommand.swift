import ArgumentParser
import Foundation
import ReluxControl
import ReluxPlugin
import ReluxSupervisor
import ReluxTap
import ReluxWire

struct DoctorCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks the installation and the cluster; exit status 1 if something fails.")
    static let examples = ["relux doctor", "relux doctor --json"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        var findings = DoctorChecks.installation(session.console)
        findings += DoctorChecks.start(session.console.startFindings)
        do {
            let location = try session.location()
            if let fault = location.fault { findings.append(.init(.fail, "configuration", fault.message, remedy: fault.hint)) }
            let data = location.run.runningSupervisor().map(ProcessFiles.data) ?? session.console.start.limits[.data]
            findings += DoctorChecks.start(location.configuration?.findings(underData: data) ?? [])
            findings += DoctorChecks.directory(location.run)
            findings += DoctorChecks.disk(location.run, location.configuration)
            findings += DoctorChecks.packed(location.packed, active: location.configuration?.hosts.flatMap(\.plugins) ?? [])
            do {
                let client = try session.client()
                let status = try session.status(client)
                findings += DoctorChecks.cluster(status) + DoctorChecks.served(location.run, packed: location.packed, status)
                findings += DoctorChecks.processes(location.run, status)
                if let configuration = location.configuration {
                    findings += DoctorChecks.differences(try session.membershipDifferences(configuration, client))
                    findings += session.settingsDifferences(configuration).map { .init(.warn, "configuration", $0, remedy: "") }
                }
            } catch {
                findings += DoctorChecks.start(location) + DoctorChecks.served(location.run, packed: location.packed, nil) + DoctorChecks.processes(location.run, nil)
                // A cluster that is not up is no illness by itself.
                let isDown = location.run.runningSupervisor() == nil
                findings.append(.init(isDown ? .warn : .fail, "broker", error.message, remedy: error.hint))
            }
        } catch {
            // Where no cluster is named, none is ill.
            findings.append(.init(error.code == CLIError.notNamedCode ? .warn : .fail, "configuration", error.message, remedy: error.hint))
        }
        if session.format.isJSON {
            session.print(.object([.init("schema", "relux.doctor/1"), .init("checks", .array(findings.map(\.json)))]))
        } else {
            for finding in findings { session.print(finding.line(session.style)) }
        }
        return findings.contains { $0.verdict == .fail } ? .failed : .ok
    }
}
