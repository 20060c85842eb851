import ArgumentParser
import ReluxWire

/// `--filter` and `--sort` of commands that list something.
struct ListOptions: ParsableArguments {
    @Option(
        name: .customLong("filter"), parsing: .singleValue,
        help: ArgumentHelp("Only rows that KEY=VALUE holds for, by the keys of -o json; also != < > <= >=, and ~ for a part. All that are named hold.", valueName: "test"))
    var filters: [String] = []

    @Option(help: ArgumentHelp("By which key of -o json, such as restarts or counters.lost:desc.", valueName: "key"))
    var sort: String?

    /// - Parameter describe: what `-o json` says of an item.
    /// - Throws: `list.filter` for a text that is no test, `list.key` for a key that no row has.
    func select<Item>(_ items: [Item], _ describe: (Item) -> JSONValue) throws(CLIError) -> [Item] {
        var selection = ListSelection()
        for text in filters {
            guard let filter = ListSelection.Filter(text) else {
                throw CLIError(.usage, "list.filter", "--filter '\(text)' compares nothing", hint: "write KEY=VALUE, such as state=ready; also != < > <= >= ~")
            }
            selection.filters.append(filter)
        }
        selection.order = sort.map(ListSelection.Order.init)
        do throws(ListSelection.UnknownKey) { return try selection.select(items, describe) } catch {
            throw CLIError(.usage, "list.key", "no row has the key '\(error.key)'", hint: error.hint)
        }
    }
}
