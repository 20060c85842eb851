import Foundation
import PaymentModels
import PaymentServiceImpl
import PaymentTestSupport
import ReluxTestKit
import Testing

/// Against the real service, in a process of its own.
@Suite(.serialized) struct PaymentServiceTests {
    typealias Charge = Payment.Business.Model.Charge
    typealias Configuration = Payment.Business.ServiceConfiguration
    typealias Failure = Payment.Business.Model.Failure
    typealias Service = Payment.Business.Service

    let directory = TemporaryDirectory(isMade: true)
    let process: PaymentServiceProcess
    let charge = Charge(orderId: "o1", amount: 578, payer: "u1")

    init() async throws {
        process = PaymentServiceProcess(ledger: directory.file("ledger"))
        try await process.start()
    }

    func service(timeout: Int = 5_000, attempts: Int = 3) throws -> Service {
        Service(try Configuration(url: process.url, timeoutMilliseconds: timeout, attempts: attempts, backoffMilliseconds: 10))
    }

    @Test func `money is taken once, whoever asks again and whoever died meanwhile`() async throws {
        let receipt = try await service().capture(charge)
        #expect(receipt.orderId == "o1" && receipt.amount == 578)
        #expect(try await service().capture(charge) == receipt)
        try await process.kill()
        try await process.start()
        #expect(try await service().capture(charge) == receipt)
        #expect(try await process.ledger().captures == ["o1": 578])
    }

    @Test func `money goes back once, and an order without a charge is void`() async throws {
        _ = try await service().capture(charge)
        #expect(try await service().refund(orderId: "o1", payer: "u1") == 578)
        #expect(try await service().refund(orderId: "o1", payer: "u1") == 578)
        #expect(try await service().refund(orderId: "o2", payer: "u1") == 0)
        let failure = await #expect(throws: Failure.self) {
            try await service().capture(Charge(orderId: "o2", amount: 1, payer: "u1"))
        }
        #expect(failure?.code == .rejected && failure?.message.contains("order o2 is void") == true)
        #expect(try await process.ledger().refunds == ["o1": 578, "o2": 0])
    }

    @Test func `what one has paid is neither given to another nor taken for theirs, over the service's death too`() async throws {
        _ = try await service().capture(charge)
        for isRestarted in [false, true] {
            if isRestarted {
                try await process.kill()
                try await process.start()
            }
            for amount in [578, 1] as [Int64] {
                let failure = await #expect(throws: Failure.self) {
                    try await service().capture(Charge(orderId: "o1", amount: amount, payer: "u2"))
                }
                #expect(failure?.code == .rejected && failure?.message.contains("paid by another") == true)
            }
            let failure = await #expect(throws: Failure.self) { try await service().refund(orderId: "o1", payer: "u2") }
            #expect(failure?.code == .rejected && failure?.message.contains("paid by another") == true)
        }
        #expect(try await process.ledger().refunds.isEmpty)
        // A debt of an earlier version does not know whose it is.
        #expect(try await service().refund(orderId: "o1", payer: "") == 578)
    }

    @Test func `a ledger of an earlier version does not know who has paid, and gives back all the same`() async throws {
        try await process.kill()
        try #"{"what": "captures", "order": "o1", "amount": 578}"#.appending("\n")
            .write(toFile: directory.file("ledger"), atomically: true, encoding: .utf8)
        try await process.start()
        #expect(try await service().capture(charge).amount == 578)
        #expect(try await service().refund(orderId: "o1", payer: "u1") == 578)
    }

    @Test func `less than nothing does not go back`() async throws {
        try await process.set(.init(path: "/refunds", status: 200, text: #"{"refunded": -5}"#))
        let failure = await #expect(throws: Failure.self) { try await service().refund(orderId: "o1", payer: "u1") }
        #expect(failure?.code == .unexpectedAnswer && failure?.message.contains("-5 cents") == true)
    }

    @Test func `a service that is down is named, after a bounded number of attempts`() async throws {
        let service = try service()
        try await process.kill()
        let failure = await #expect(throws: Failure.self) { try await service.capture(charge) }
        #expect(failure?.code == .unreachable && failure?.mayHaveCaptured == false)
        #expect(failure?.message.contains(process.url) == true && failure?.message.contains("order o1") == true)
        #expect(failure?.message.contains("3 attempts") == true && failure?.message.contains("RELUX_PAYMENT_URL") == true)
    }

    @Test func `a service that answers 500 for a while is asked again, so often and no more`() async throws {
        try await process.set(.init(path: "/captures", times: 2, status: 500))
        #expect(try await service().capture(charge).amount == 578)
        #expect(try await process.ledger().asked == 3)
        try await process.set(.init(path: "/captures", status: 500))
        let failure = await #expect(throws: Failure.self) { try await service().capture(Charge(orderId: "o2", amount: 1, payer: "u1")) }
        #expect(failure?.code == .unavailable && failure?.message.contains("status 500") == true && failure?.mayHaveCaptured == true)
        #expect(try await process.ledger().asked == 6)
    }

    @Test func `a service that does not answer ends the wait, and what it took meanwhile can go back`() async throws {
        try await process.set(.init(path: "/captures", delay: 3_600, done: true))
        let failure = await #expect(throws: Failure.self) { try await service(timeout: 1_000, attempts: 2).capture(charge) }
        #expect(failure?.code == .timedOut && failure?.mayHaveCaptured == true)
        #expect(try await service().refund(orderId: "o1", payer: "u1") == 578)
    }

    @Test func `an answer that is lost takes no money twice`() async throws {
        try await process.set(.init(path: "/captures", times: 1, delay: 3_600, done: true))
        #expect(try await service(timeout: 1_000).capture(charge).amount == 578)
        #expect(try await process.ledger().captures == ["o1": 578])
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a question that was heard and not answered may have been carried out, whatever the host is called`(host: String) async throws {
        let url = process.url.replacingOccurrences(of: "127.0.0.1", with: host)
        let service = Service(try Configuration(url: url, timeoutMilliseconds: 5_000, attempts: 1))
        try await process.set(.init(path: "/captures", done: true, drop: true))
        let failure = await #expect(throws: Failure.self) { try await service.capture(charge) }
        #expect(failure?.code == .unreachable && failure?.mayHaveCaptured == true, "\(failure?.message ?? "")")
        #expect(try await process.ledger().captures == ["o1": 578])
    }

    @Test func `a service that dies behind a question may have carried it out, though nobody listens any more`() async throws {
        let service = try service(attempts: 1)
        // A connection that could be used again.
        _ = try await service.capture(charge)
        try await process.set(.init(path: "/captures", done: true, die: true))
        let failure = await #expect(throws: Failure.self) { try await service.capture(Charge(orderId: "o2", amount: 1, payer: "u1")) }
        #expect(failure?.mayHaveCaptured == true, "\(failure?.message ?? "")")
        try await process.start()
        #expect(try await process.ledger().captures == ["o1": 578, "o2": 1])
    }

    @Test func `a ledger that is full ends the service, and what was not answered is not written later`() async throws {
        try await process.kill()
        try await process.start(ledgerLimit: 10)
        let failure = await #expect(throws: Failure.self) { try await service(attempts: 1).capture(charge) }
        #expect(failure?.mayHaveCaptured == true, "\(failure?.message ?? "")")
        // It does not listen any more: its port is free for the next.
        try await process.start()
        #expect(try await service().refund(orderId: "o1", payer: "u1") == 0)
        let ledger = try await process.ledger()
        #expect(ledger.captures.isEmpty && ledger.refunds == ["o1": 0])
    }

    @Test func `only of a number is it known that nobody heard`() async throws {
        try await process.kill()
        for (host, isAmbiguous) in [("127.0.0.1", false), ("localhost", true)] {
            let url = process.url.replacingOccurrences(of: "127.0.0.1", with: host)
            let service = Service(try Configuration(url: url, timeoutMilliseconds: 5_000, attempts: 1))
            let failure = await #expect(throws: Failure.self) { try await service.capture(charge) }
            #expect(failure?.code == .unreachable && failure?.mayHaveCaptured == isAmbiguous, "\(host): \(failure?.message ?? "")")
        }
    }

    @Test(arguments: ["o1\r\nX-Evil: 1", "größer als\u{0}nichts", "o%31", "a b:c", String(repeating: "%", count: 64)])
    func `an order's id is part of no header as it is`(id: String) async throws {
        let receipt = try await service().capture(Charge(orderId: id, amount: 1, payer: "u1"))
        #expect(receipt.orderId == id)
        #expect(try await service().refund(orderId: id, payer: "u1") == 1)
        #expect(try await process.ledger().captures == [id: 1])
    }

    @Test func `the service's no is final`() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await service().capture(Charge(orderId: "o1", amount: 1_000_001, payer: "u1"))
        }
        #expect(failure?.code == .declined && failure?.mayHaveCaptured == false)
        #expect(try await process.ledger().asked == 1)
        _ = try await service().capture(charge)
        let other = await #expect(throws: Failure.self) { try await service().capture(Charge(orderId: "o1", amount: 1, payer: "u1")) }
        #expect(other?.code == .rejected)
        let nothing = await #expect(throws: Failure.self) { try await service().capture(Charge(orderId: "o1", amount: 0, payer: "u1")) }
        #expect(nothing?.code == .invalidCharge)
    }

    @Test(arguments: [0, 1, 256, 257, 60_000, 1_100_000])
    func `a receipt is of 1 to 256 bytes, whatever is answered, and money behind another may have been taken`(length: Int) async throws {
        let id = String(repeating: "r", count: length)
        try await process.set(.init(path: "/captures", status: 201, text: #"{"receipt": "\#(id)", "amount": 578}"#))
        if (1...256).contains(length) {
            #expect(try await service(attempts: 1).capture(charge).id == id)
            return
        }
        let failure = await #expect(throws: Failure.self) { try await service(attempts: 1).capture(charge) }
        #expect(failure?.code == .unexpectedAnswer && failure?.mayHaveCaptured == true, "\(failure?.message ?? "")")
        #expect((failure?.message.utf8.count ?? .max) < 1_000)
    }

    @Test(arguments: [0, 5_000, 1_000_000])
    func `what a service says of its trouble is heard in part, in bytes`(accents: Int) async throws {
        let said = "a" + String(repeating: "\u{301}", count: accents)
        try await process.set(.init(path: "/captures", status: 500, text: #"{"error": "\#(said)"}"#))
        let failure = await #expect(throws: Failure.self) { try await service(attempts: 1).capture(charge) }
        #expect(failure?.code == .unavailable && failure?.mayHaveCaptured == true)
        #expect((failure?.message.utf8.count ?? .max) < 1_000)
    }

    @Test(arguments: [
        ["URL": "nowhere"], ["URL": "ftp://x"], ["TIMEOUT_MS": "soon"], ["TIMEOUT_MS": "9"], ["TIMEOUT_MS": "10001"], ["ATTEMPTS": "0"],
        ["ATTEMPTS": "11"], ["BACKOFF_MS": "0"], ["ATTEMPTS": "10", "TIMEOUT_MS": "2000"],
    ])
    func `a bad value in the environment is named with what it takes`(values: [String: String]) throws {
        let environment = Dictionary(uniqueKeysWithValues: values.map { ("RELUX_PAYMENT_\($0.key)", $0.value) })
        let failure = #expect(throws: Failure.self) { try Configuration(environment: environment) }
        #expect(failure?.code == .configuration)
        let name = try #require(values.keys.sorted().first)
        #expect(failure?.message.contains("RELUX_PAYMENT_\(name)") == true && failure?.message.contains("it takes") == true)
    }
}
