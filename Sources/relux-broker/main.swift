import ReluxBroker

await BrokerMain.run(CommandLine.arguments)
