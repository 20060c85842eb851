import Glibc
import ReluxHost

await HostMain.run(CommandLine.arguments)
