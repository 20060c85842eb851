// `RELUX_FUZZ_BODY=frame relux-wire-fuzz [libFuzzer options] [corpus]`: see Tests/Fuzz/run.
import Glibc
import WireFuzzBodies

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ argc: UnsafeMutablePointer<Int32>, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// A C function: it finds its body in the environment of the process, not in a capture. The name is the one that the fuzzer's own `main`
/// refers to, which is linked whether it runs or not.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let body = getenv("RELUX_FUZZ_BODY").flatMap({ WireFuzzBody(rawValue: String(cString: $0)) }) else {
        fatalError("RELUX_FUZZ_BODY must be one of \(WireFuzzBody.allCases.map(\.rawValue))")
    }
    if let fault = body.fault(with: Array(UnsafeBufferPointer(start: start, count: count))) {
        fatalError("\(body.rawValue): \(fault)")
    }
    return 0
}

var argc = CommandLine.argc
var argv = CommandLine.unsafeArgv
exit(runFuzzer(&argc, &argv, testOneInput))
