import Glibc
import ReluxControl
import Testing

@Suite struct StartConditionsTests {
    private func names(_ needed: Int = 0, _ change: (inout StartFacts) -> Void) -> [String] {
        var facts = StartFacts()
        change(&facts)
        return StartConditions.findings(facts, needed: needed).map(\.name)
    }

    @Test func `a start as it should be has no finding`() { #expect(names { _ in } == []) }

    @Test func `too few descriptors are fatal, with both figures and the command that raises them`() throws {
        var facts = StartFacts()
        facts.descriptors = 64
        let finding = try #require(StartConditions.findings(facts, needed: DescriptorNeed.ofProcess(hosts: 12)).first)
        #expect(finding.isFatal && finding.name == "descriptors")
        #expect(finding.text.contains("64") && finding.text.contains("128") && finding.remedy.contains("ulimit -n 256"), "\(finding)")
    }

    @Test func `a limit that ends a process in the midst of work is fatal, with both figures and the command that raises it`() throws {
        for (limit, value, words) in [
            (InheritedLimit.fileSize, 1 << 20, ["1024 KiB", "163840", "ulimit -f unlimited"]),
            (.addressSpace, 512 << 20, ["512 MiB", "2048", "ulimit -v unlimited"]), (.stack, 64 << 10, ["64 KiB", "1024", "ulimit -s unlimited"]),
            (.data, 100 << 20, ["100 MiB", "128", "RLIMIT_DATA", "ulimit -d unlimited", "LimitDATA=infinity"]),
        ] {
            var facts = StartFacts()
            facts.limits[limit] = value
            let finding = try #require(StartConditions.findings(facts, needed: 0).first)
            #expect(finding.isFatal && words.allSatisfy("\(finding)".contains), "\(finding)")
            facts.limits[limit] = 1 << 40
            #expect(StartConditions.findings(facts, needed: 0).isEmpty)
        }
        #expect(names { $0.limits[.processorTime] = 3600 } == ["processor-time"])
    }

    @Test func `a command needs less than a process that serves, and is refused by name below that`() {
        for (limit, value) in [(InheritedLimit.addressSpace, 512 << 20), (.data, 64 << 20), (.stack, 256 << 10), (.fileSize, 0), (.processorTime, 1)] {
            var facts = StartFacts()
            facts.limits[limit] = value
            #expect(StartConditions.refusal(facts, .command) == nil, "\(limit)")
            #expect((StartConditions.refusal(facts, .daemon) == nil) == (limit == .processorTime), "\(limit)")
        }
        for (limit, value, need) in [(InheritedLimit.addressSpace, 100 << 20, "384"), (.data, 8 << 20, "32"), (.stack, 128 << 10, "256")] {
            var facts = StartFacts()
            facts.limits[limit] = value
            let refusal = StartConditions.refusal(facts, .command)
            #expect(refusal?.name == limit.rawValue && refusal?.text.contains(need) == true, "\(String(describing: refusal))")
        }
    }

    @Test func `each thing that is inherited and not as it should be is named, and none of them is fatal`() {
        #expect(names { $0.closed = [0, 2] } == ["standard"])
        #expect(names { $0.ignored = [SIGCHLD] } == ["signals"])
        #expect(names { $0.blocked = [SIGTERM] } == ["signals"])
        #expect(names { $0.mask = 0 } == ["umask"] && names { $0.mask = 0o777 } == ["umask"] && names { $0.mask = 0o077 } == [])
        #expect(names { $0.hasWorkingDirectory = false } == ["directory"])
        #expect(names { $0.home = .missing("/gone") } == ["home"] && names { $0.temporary = .readOnly("/tmp") } == ["temporary"])
        #expect(names { $0.home = .unset } == [])
        #expect(names { $0.time = 12 } == ["clock"])
        for locale in ["C", "POSIX", "C.UTF-8", "de_DE.utf8", "en_US.UTF-8@x"] { #expect(names { $0.locale = ("LANG", locale) } == []) }
        for locale in ["de_DE.ISO-8859-1", "de_DE.iso885915@euro"] { #expect(names { $0.locale = ("LC_ALL", locale) } == ["locale"]) }
        var facts = StartFacts()
        (facts.closed, facts.ignored, facts.mask, facts.hasWorkingDirectory) = ([1], [SIGTERM], 0o777, false)
        (facts.home, facts.temporary, facts.time, facts.limits) = (.readOnly("/h"), .missing("/t"), 0, [.processorTime: 60])
        #expect(StartConditions.findings(facts, needed: 0).filter(\.isFatal).isEmpty)
    }
}
