import Foundation
import Testing
import WireFuzzBodies

@Suite struct `fuzz corpus` {
    @Test(arguments: WireFuzzBody.allCases)
    func `what the fuzzer knows does no harm`(body: WireFuzzBody) throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/\(body.rawValue)")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let fault = body.fault(with: [UInt8](try Data(contentsOf: file)))
            #expect(fault == nil, "\(file.lastPathComponent)")
        }
    }
}
