import Foundation
import ReluxControl

/// The backtrace that Swift's own backtracer left of a crashed process.
enum Backtrace {
    /// The value of `SWIFT_BACKTRACE` for children.
    ///
    /// Without registers: their dump shows memory, and with it what `Secret` hides.
    static func setting(directory: String) -> String {
        "enable=yes,color=no,interactive=no,threads=crashed,images=none,registers=none,output-to=\(directory)/"
    }

    /// The newest file that the process left in the directory, or nil. They are called `<executable>-<pid>-<time>.log`.
    static func file(of pid: Int32, in directory: String) -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".log") && $0.contains("-\(pid)-") }.sorted().last.map { "\(directory)/\($0)" }
    }

    /// Nil for what is no file: whoever opened a pipe would wait for somebody at its other end.
    static func text(of file: String) -> String? {
        let descriptor = LogPlace.openForReading(file)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return (try? handle.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The frames of the crashed thread from the top, without addresses: `Box.inner(_:) + 32 in crashy at c.swift:1:47`.
    static func topFrames(in text: String, limit: Int = 12) -> [String] {
        var frames: [String] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            // A frame is `<number> [ra]? 0x<address> <symbol> in <image> …`.
            guard words.count == 2, Int(words[0]) == frames.count, let address = words[1].range(of: "0x") else { continue }
            let afterAddress = words[1][address.lowerBound...].drop { $0 != " " }
            frames.append(afterAddress.trimmingCharacters(in: .whitespaces))
            if frames.count == limit { break }
        }
        return frames
    }

    /// The backtracer's first line, which names what happened: `Program crashed: Illegal instruction at 0x…`.
    static func headline(in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("*** ") }
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "* ")) }
    }
}
