/// The fields of each kind, as the document lists them.
extension Dissection {
    mutating func record() {
        let end = position + Int(peekVarint(at: position).value) + peekVarint(at: position).count
        varint("length")
        switch bytes[position] {
        case 1: effect()
        case 2: settled()
        case 3:
            line(1, "kind: MEMBER")
            varint("sequence")
            varint("version")
            list("recipients") { $0.string("recipient") }
        case 4:
            line(1, "kind: SNAPSHOT")
            varint("version")
            varint("flags")
            cborField("payload")
        case 5: head()
        case 6:
            line(1, "kind: FETCH")
            string("requester")
            string("topic")
            list("ranges") {
                $0.varint("low")
                $0.varint("high - low")
            }
        case 7:
            line(1, "kind: GONE")
            string("topic")
            varint("low")
            varint("high - low")
        case 8: ready()
        case 9:
            line(1, "kind: STREAM")
            string("topic")
        case 10: acked()
        case 11:
            line(1, "kind: CURSOR")
            string("module")
            string("topic")
            varint("low")
            varint("high - low")
        case 12:
            line(1, "kind: STATE")
            string("name")
            varint("version")
            list("reduced") { $0.effectID("effect") }
            cborField("value")
        case 13:
            line(1, "kind: KEPT")
            effectID("cause")
            string("name")
            cborField("value")
        case 14:
            line(1, "kind: ATTEMPT")
            effectID("effect")
            varint("deaths")
            line(1, "alone: \(bytes[position])")
        case 15: dead()
        case 16:
            line(1, "kind: REQUEST")
            varint("position of the effect")
            string("topic of the effect")
            varint("sequence of the effect")
            string("request id")
        case 17: refused()
        case 18:
            line(1, "kind: EFFECT, by steps from the one before")
            varint("number of its context")
            varint("position, step")
            varint("sequence, step")
            varint("number of its case")
            varint("remaining deadline, ms")
            varint("wall time, step in zigzag")
            cborField("payload")
        case 19: schedule()
        default: line(1, "kind: unknown")
        }
        if position < end { line(end - position, "extensions, skipped") }
    }

    private mutating func schedule() {
        line(1, "kind: SCHEDULE")
        string("name")
        string("rule")
        varint("last, ms since 1970 in zigzag")
        varint("next, step in zigzag")
        varint("flags")
        varint("position of the last tick's effect")
        varint("time of that tick, step in zigzag")
    }

    private mutating func refused() {
        line(1, "kind: REFUSED")
        varint("count")
        string("reason")
        string("topic")
        string("case")
        list("ancestry") { $0.effectID("ancestor") }
        string("site: file")
        varint("site: line")
        string("site: function")
        string("label")
        varint("wall time, ms since 1970")
        string("message")
    }

    private mutating func effect() {
        line(1, "kind: EFFECT")
        varint("position")
        varint("sequence")
        string("case")
        varint("remaining deadline, ms")
        varint("wall time, ms since 1970")
        cborField("payload")
        list("ancestry") { $0.effectID("ancestor") }
        varint("await depth")
        varint("member version")
        varint("flags")
        string("site: file")
        varint("site: line")
        string("site: function")
        string("label")
        line(8, "contract fingerprint")
    }

    private mutating func effects() {
        list("runs of effects") {
            $0.varint("position, distance")
            $0.varint("sequence, distance")
            $0.varint("effects after the first one")
        }
    }

    private mutating func settled() {
        line(1, "kind: SETTLED")
        varint("sequence")
        string("topic of the effects")
        effects()
        line(1, "status: \(bytes[position])")
        varint("duration, us")
        list("diverged") { $0.varint("position") }
        cborField("result")
    }

    private mutating func acked() {
        line(1, "kind: ACKED")
        string("recipient")
        varint("sequence of the settlement")
        string("topic of the effects")
        effects()
        line(1, "status: \(bytes[position])")
        cborField("result")
    }

    private mutating func dead() {
        line(1, "kind: DEAD")
        effectID("effect")
        string("topic")
        string("case")
        varint("deaths")
        line(1, "resolution: \(bytes[position])")
        varint("wall time, ms since 1970")
        string("reason")
        cborField("payload")
    }

    private mutating func head() {
        line(1, "kind: HEAD")
        list("streams") {
            $0.string("topic")
            $0.varint("low")
            $0.varint("head")
        }
        list("acknowledged") {
            $0.string("module")
            $0.string("topic")
            $0.varint("low water")
        }
    }

    private mutating func ready() {
        line(1, "kind: READY")
        line(16, "marker")
        list("streams") {
            $0.string("publisher")
            $0.varint("epoch")
            $0.string("topic")
            $0.varint("head")
            $0.list("recipients") {
                $0.string("recipient")
                $0.varint("starts after")
            }
        }
    }

    private mutating func effectID(_ name: String) {
        string("\(name): module")
        varint("\(name): position")
    }
}
