import Glibc
import ReluxIoC
import ReluxWire

extension HostRuntime {
    /// With which of its services the module is made: `services:` of its entry in the cluster's file, which the supervisor hands on as a
    /// variable of the process.
    func serviceChoice(of id: ModuleID) throws(SetUpFailure) -> ServiceChoice {
        let name = "RELUX_SERVICES_\(id)"
        guard let text = getenv(name).map({ String(cString: $0) }), !text.isEmpty else { return ServiceChoice(.real) }
        guard let services = IoC.Services(rawValue: text) else {
            let allowed = IoC.Services.allCases.map(\.rawValue).joined(separator: " or ")
            throw SetUpFailure(
                code: "host.services", message: "\(id): \(name) is \"\(text)\"; it takes \(allowed), or leave it out for real")
        }
        return ServiceChoice(services)
    }

    static func hasNoMock(_ id: ModuleID) -> SetUpFailure {
        SetUpFailure(
            code: "host.services",
            message: "\(id) has services: mock in the cluster's file, but registers no service that has a mock (register(_:real:mock:));"
                + " remove the key, or give the module one")
    }
}
