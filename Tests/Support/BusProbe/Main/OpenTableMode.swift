import Glibc
import Relux
import ReluxControl

/// `relux-bus-probe open FILE`: notes three handlers that stay open and then others without end, until it is killed.
func runOpenTable(_ path: String) throws -> Never {
    let table = try OpenTable(path: path, epoch: Epoch(3), boot: [UInt8](repeating: 7, count: 16))
    try table.takePlace()
    for run in UInt64(1)...3 { table.began(run: run, effect: EffectID(module: "Stays", position: run), isCharged: false) }
    print("ready")
    fflush(nil)
    var run: UInt64 = 3
    while true {
        run += 1
        table.began(run: run, effect: EffectID(module: run.isMultiple(of: 2) ? "Even" : "Odd.Number", position: run), isCharged: false)
        table.ended(run: run)
    }
}
