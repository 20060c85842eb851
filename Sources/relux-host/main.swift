import ReluxHost

await HostMain.run(CommandLine.arguments)
