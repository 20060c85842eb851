import Glibc
import ReluxHost

// The control of the chaos stories: `relux-host`, which asks for nothing that it has missed once the file of E2E_UNREPAIRED is there.
// A missing effect then stays missing, and a story that says otherwise judges nothing.
await HostMain.run(CommandLine.arguments) { configuration in
    configuration.repairs = getenv("E2E_UNREPAIRED").map { access($0, F_OK) != 0 } ?? false
}
