import Synchronization

/// Those who have to settle what is said on a topic, in order: one list for the process and for good.
///
/// Design notes. Each emission, each waiter and each unsettled record names its recipients, on three threads at once, and mostly they are the same ones.
/// As arrays they counted references on one cache line that all these threads write to, at some 50 ns for each of eight times per effect. A list
/// that is never freed needs no counting, as a ``Name``. There is one for each set of recipients that some topic has had meanwhile, and for each that
/// was left of one where a journal was recovered: a few bytes for each change of the membership that was not there before. Above ``limit`` equal lists are not found again, which costs as much for each change.
package struct Recipients: Sendable {
    private static let limit = 1 << 20

    /// nil of the empty list. `unsafe`: what it points to is written before anybody has it, and never changed or freed.
    private nonisolated(unsafe) let first: UnsafePointer<ModuleID>?
    package let count: Int

    package init() { (first, count) = (nil, 0) }

    package init(_ module: ModuleID) { (first, count) = (module.name.alone, 1) }

    package init(_ modules: [ModuleID]) {
        switch modules.count {
        case 0: self.init()
        case 1: self.init(modules[0])
        default:
            self = Self.table.withLock { lists in
                if let known = lists[modules] { return known }
                let made = Recipients(copying: modules)
                if lists.count < Self.limit { lists[modules] = made }
                return made
            }
        }
    }

    private init(copying modules: [ModuleID]) {
        let memory = UnsafeMutablePointer<ModuleID>.allocate(capacity: modules.count)
        for (index, module) in modules.enumerated() { (memory + index).initialize(to: module) }
        (first, count) = (UnsafePointer(memory), modules.count)
    }

    // lint:allow state.global: lists are the same for all modules of a process; nothing is ever changed or taken out, and nobody sees the table
    private static let table = Mutex<[[ModuleID]: Recipients]>([:])
}

extension Recipients: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(index: Int) -> ModuleID {
        precondition(index >= 0 && index < count, "no recipient \(index) of \(count)")
        return first.unsafelyUnwrapped[index]
    }
}

extension Recipients: Hashable, ExpressibleByArrayLiteral {
    package init(arrayLiteral modules: ModuleID...) { self.init(modules) }

    package static func == (left: Self, right: Self) -> Bool { left.first == right.first && left.count == right.count || left.elementsEqual(right) }

    package func hash(into hasher: inout Hasher) { for module in self { hasher.combine(module) } }
}
