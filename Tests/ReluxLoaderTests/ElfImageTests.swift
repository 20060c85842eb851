import Foundation
import ReluxLoader
import ReluxPlugin
import Testing

@Suite struct ElfImageTests {
    @Test func `a library tells its needs, its guard, its entry and its build`() throws {
        let shop = Workshop()
        let path = try shop.library(
            "libDemoReluxImpl.so",
            Workshop.plainEntry() + "int a __asm__(\"$s4DemoAAVMn\");int b __asm__(\"$s4DemoAAPMp\");"
                + "int c __asm__(\"$sSo4statVMn\");int d;",
            needs: ["libDemoModels.so", "libRelux.so"], flags: ["-Wl,-soname,libDemo.so.1", "-Wl,--build-id=sha1"])
        let image = try ElfImage(contentsOf: path)
        #expect(image.needed == ["libDemoModels.so", "libRelux.so"])
        #expect(image.soname == "libDemo.so.1")
        #expect(image.buildID.count == 40)
        #expect(image.wantedGuards == [reluxRuntimeGuard])
        #expect(image.ownGuards.isEmpty)
        #expect(image.exportsEntry)
        #expect(Set(image.typeDescriptors) == ["$s4DemoAAVMn", "$s4DemoAAPMp"])
    }

    @Test func `the core itself reads as what defines the guard`() throws {
        let image = try ElfImage(contentsOf: "\(Workshop.buildFolder)/libRelux.so")
        #expect(image.ownGuards == [reluxRuntimeGuard])
        #expect(image.typeDescriptors.contains("$s11ReluxPlugin0B3BoxCMn"))
    }

    @Test func `a file cut anywhere is refused and never traps`() throws {
        let shop = Workshop()
        let bytes = try readFile(try shop.library("libDemo.so", needs: ["libRelux.so"]))
        let allowed: Set<LoaderError.Code> = [.truncated, .malformed, .notELF]
        for length in 0..<bytes.count {
            do throws(LoaderError) {
                _ = try ElfImage(bytes: Array(bytes[..<length]), file: "cut")
                Issue.record("accepted with \(length) of \(bytes.count) bytes")
            } catch {
                #expect(allowed.contains(error.code), "\(error)")
            }
        }
    }

    @Test func `changed bytes give an image or a refusal and never trap`() throws {
        let shop = Workshop()
        let bytes = try readFile(try shop.library("libDemo.so", needs: ["libRelux.so"]))
        var seed: UInt64 = 0x5eed
        func next() -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return seed >> 33
        }
        // The tables are where a wrong number hurts; all values of the header, then anything anywhere.
        for round in 0..<6000 {
            var changed = bytes
            let region = round % 2 == 0 ? 512 : changed.count
            for _ in 0...(round % 4) { changed[Int(next()) % region] = round % 3 == 0 ? 0xff : UInt8(next() & 0xff) }
            _ = try? ElfImage(bytes: changed, file: "changed")
        }
    }

    @Test func `a library for another processor is refused as that`() throws {
        let shop = Workshop()
        var bytes = try readFile(try shop.library("libDemo.so"))
        bytes.replaceSubrange(18..<20, with: ElfImage.hostMachine == 183 ? [62, 0] : [183, 0])
        #expect(try refusal { try ElfImage(bytes: bytes, file: "other") } == .machine)
    }

    @Test func `32 bits or the other byte order is refused as that`() throws {
        let shop = Workshop()
        let bytes = try readFile(try shop.library("libDemo.so"))
        for (index, value) in [(4, 1), (5, 2)] as [(Int, UInt8)] {
            var changed = bytes
            changed[index] = value
            #expect(try refusal { try ElfImage(bytes: changed, file: "other") } == .elfClass)
        }
    }

    @Test func `what is no shared library is refused by what it is`() throws {
        let shop = Workshop()
        let text = shop.path("libText.so")
        try "not a library".write(toFile: text, atomically: true, encoding: .utf8)
        #expect(try refusal { try ElfImage(contentsOf: text) } == .notELF)
        #expect(try refusal { try ElfImage(contentsOf: "/proc/self/exe") } == .unreadable)
        #expect(try refusal { try ElfImage(contentsOf: shop.folder) } == .unreadable)
        #expect(try refusal { try ElfImage(contentsOf: shop.path("absent.so")) } == .unreadable)

        let source = shop.path("main.c")
        try "int main(void) { return 0; }".write(toFile: source, atomically: true, encoding: .utf8)
        try Workshop.run("cc", "-pie", "-fPIE", "-o", shop.path("libMain.so"), source)
        #expect(try refusal { try ElfImage(contentsOf: shop.path("libMain.so")) } == .fileType)
        try Workshop.run("cc", "-c", "-o", shop.path("main.o"), source)
        #expect(try refusal { try ElfImage(contentsOf: shop.path("main.o")) } == .fileType)
    }
}
