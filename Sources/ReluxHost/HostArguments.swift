import ReluxControl
import ReluxLayers
import ReluxLoader
import ReluxOutput

/// The command line of a host process, taken apart.
struct HostArguments {
    var run: String?
    var host: String?
    var plugins: [String] = []
    var kinds: ModuleKinds?
    /// The library that is only to be described.
    var described: String?
    var enumsLibrary: String?
    /// The number of cases by the mangled name of an enum.
    var enums: [String: Int] = [:]
    var wantsHelp = false
    /// The first thing that could not be understood.
    var fault: String?

    private static let flags = ["--run", "--host", "--plugin", "--kinds", "--describe", "--raw-values", "--enum", "--help"]

    /// - Parameter arguments: with the program's name first.
    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while fault == nil, let flag = rest.popFirst() {
            if ["--help", "-h"].contains(flag) {
                wantsHelp = true
                return
            }
            guard Self.flags.contains(flag) else {
                fault = "'\(flag)' is no option" + (NearestName.meant(flag, among: Self.flags).map { "; \($0)" } ?? "")
                return
            }
            guard let value = rest.popFirst() else {
                fault = "\(flag) needs a value"
                return
            }
            take(flag, value)
        }
    }

    private mutating func take(_ flag: String, _ value: String) {
        switch flag {
        case "--describe": described = value
        case "--raw-values": enumsLibrary = value
        case "--enum":
            let parts = value.split(separator: ":")
            guard parts.count == 2, let count = Int(parts[1]) else {
                fault = "--enum takes a mangled name, a colon and a number, not '\(value)'"
                return
            }
            enums[String(parts[0])] = count
        case "--run": run = value
        case "--host": host = value
        case "--plugin": plugins.append(value)
        case "--kinds": kinds = ModuleKinds(text: value)
        default: break
        }
    }
}
