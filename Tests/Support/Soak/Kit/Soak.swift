import Glibc

/// Whether something costs at the end what it cost behind its warm-up: memory, descriptors, threads, the depth of stacks, what its tables hold,
/// and the processor time of a step.
///
/// Design notes. All but the time are counts, and so are compared once. A step's time is compared as a multiple of ``ReferenceWork``, which is
/// measured before and after each block of steps: another guest of the machine makes both dearer by the same share. A window's cost is the
/// median of its blocks. A last window that is dearer is measured again, with further steps: a machine that has become slower stays as slow,
/// and a step that makes the next one dearer goes on doing so (``StepGrowth``).
package struct Soak {
    /// The share by which a figure may be higher at the end.
    package static let share = 0.05
    /// The same of a step's time. Beside other work short soaks differ by some percent; a step that grows is dearer several times over at the end.
    private static var timeShare: Double { SoakLength.isFull ? share : 0.25 }
    /// Elements of a table that come and go.
    private let slack: Int
    /// Descriptors that come and go.
    private let descriptorSlack: Int
    /// Threads that do.
    private static let threadSlack = 2
    /// Bytes of a stack: a rare path is deeper than what the warm-up took.
    private static let stackSlack = 128 << 10
    /// The bytes that the allocator's caches of threads make of nothing.
    private let heapSlack: Int
    /// Files that come and go.
    private static let fileCountSlack = 128
    /// Bytes of files: a log's line more, and where in its last segment a journal is just now.
    private let fileSlack: Int
    private static let blocks = 8

    /// In the words of a step: `tick`, `restart`.
    private let unit: String
    private let clock: ProcessorClock?
    private let folder: String?
    private let baseline: ProcessFigures
    package private(set) var complaints: [String] = []
    /// The measured figures, for the reader of a report.
    package private(set) var summary = ""
    private var steps = 0

    /// To be made before what it is about.
    ///
    /// - Parameters:
    ///   - clock: nil where a step waits for others, and its time says nothing.
    ///   - folder: where files are written, all below it; nil for none.
    ///   - slack: elements of a table that come and go; more where one is filled up to a limit and then cut.
    ///   - descriptorSlack: descriptors that come and go; more where a process may be under way at a reading.
    ///   - heapSlack: bytes of memory that come and go.
    ///   - fileSlack: the same of files.
    package init(
        _ unit: String, clock: ProcessorClock? = .thread, folder: String? = nil, slack: Int = 8, descriptorSlack: Int = 2, heapSlack: Int = 96 << 10,
        fileSlack: Int = 4 << 20
    ) {
        (self.unit, self.clock, self.folder) = (unit, clock, folder)
        (self.slack, self.descriptorSlack, self.heapSlack, self.fileSlack) = (slack, descriptorSlack, heapSlack, fileSlack)
        baseline = .now()
    }

    private struct Reading {
        var figures: ProcessFigures
        var folder: FolderFigures?
        var census: Census

        init(_ census: Census, folder: String?) {
            figures = .now()
            self.folder = folder.map(FolderFigures.init)
            self.census = census
        }
    }

    /// Plays the warm-up, a window, what lies between, and a window at the end.
    ///
    /// - Parameters:
    ///   - count: steps in all, the warm-up's included.
    ///   - census: of what has tables; taken when nothing is under way.
    ///   - step: is given its number, from 0 on.
    package mutating func play(
        _ count: Int, warmUp: Int, census: () throws -> Census, step: (Int) throws -> Void
    ) rethrows {
        let window = max(Self.blocks, (count - warmUp) / 6)
        try go(warmUp, step)
        let first = try cost(of: window, step)
        let before = Reading(try census(), folder: folder)
        try go(max(0, count - warmUp - 2 * window), step)
        var growth = StepGrowth(first: first, share: Self.timeShare)
        growth.add(try cost(of: window, step))
        let after = Reading(try census(), folder: folder)
        while clock != nil, growth.wantsMore { growth.add(try cost(of: window, step)) }
        judge(before, after, growth)
    }

    /// The same for steps that wait.
    package mutating func play(
        _ count: Int, warmUp: Int, census: () async throws -> Census, step: (Int) async throws -> Void
    ) async rethrows {
        let window = max(Self.blocks, (count - warmUp) / 6)
        try await go(warmUp, step)
        let first = try await cost(of: window, step)
        let before = Reading(try await census(), folder: folder)
        try await go(max(0, count - warmUp - 2 * window), step)
        var growth = StepGrowth(first: first, share: Self.timeShare)
        growth.add(try await cost(of: window, step))
        let after = Reading(try await census(), folder: folder)
        while clock != nil, growth.wantsMore { growth.add(try await cost(of: window, step)) }
        judge(before, after, growth)
    }

    private mutating func go(_ count: Int, _ step: (Int) throws -> Void) rethrows {
        for _ in 0..<count {
            try step(steps)
            steps += 1
        }
    }

    private mutating func go(_ count: Int, _ step: (Int) async throws -> Void) async rethrows {
        for _ in 0..<count {
            try await step(steps)
            steps += 1
        }
    }

    private mutating func cost(of count: Int, _ step: (Int) throws -> Void) rethrows -> StepCost {
        var blocks = BlockCosts(clock)
        for _ in 0..<Self.blocks {
            let start = blocks.begin()
            try go(count / Self.blocks, step)
            blocks.end(start, steps: count / Self.blocks)
        }
        return blocks.median
    }

    private mutating func cost(of count: Int, _ step: (Int) async throws -> Void) async rethrows -> StepCost {
        var blocks = BlockCosts(clock)
        for _ in 0..<Self.blocks {
            let start = blocks.begin()
            try await go(count / Self.blocks, step)
            blocks.end(start, steps: count / Self.blocks)
        }
        return blocks.median
    }

    private mutating func judge(_ before: Reading, _ after: Reading, _ growth: StepGrowth) {
        complaints += after.census.growth(since: before.census, share: Self.share, slack: slack)
        let (then, now) = (before.figures, after.figures)
        let own = max(0, then.heapBytes - baseline.heapBytes)
        if now.heapBytes > then.heapBytes + max(heapSlack, Int(Double(own) * Self.share)) {
            complaints.append("\(now.heapBytes - then.heapBytes) bytes of memory more, of \(own) that it had")
        }
        if now.descriptors > then.descriptors + descriptorSlack { complaints.append("\(now.descriptors) descriptors instead of \(then.descriptors)") }
        if now.threads > then.threads + Self.threadSlack { complaints.append("\(now.threads) threads instead of \(then.threads)") }
        if now.stackBytes > Int(Double(then.stackBytes) * (1 + Self.share)) + Self.stackSlack {
            complaints.append("\(now.stackBytes) bytes of stack instead of \(then.stackBytes)")
        }
        if let then = before.folder, let now = after.folder {
            if now.files > Int(Double(then.files) * (1 + Self.share)) + Self.fileCountSlack { complaints.append("\(now.files) files instead of \(then.files)") }
            if now.bytes > Int(Double(then.bytes) * (1 + Self.share)) + fileSlack {
                complaints.append("\(now.bytes) bytes in files instead of \(then.bytes)")
            }
        }
        if clock != nil, growth.isFound { complaints.append("a \(unit) costs \(growth.text)") }
        let time = clock == nil ? "" : "; a \(unit) costs \(growth.text)"
        let files = after.folder.map { ", \($0.files) files of \($0.bytes) bytes" } ?? ""
        summary = "\(steps) \(unit)s: \(own) bytes and \(now.heapBytes - then.heapBytes) more, \(now.descriptors) descriptors, \(now.threads) threads,"
            + " \(now.stackBytes) bytes of stack\(files)\(time)"
    }
}
