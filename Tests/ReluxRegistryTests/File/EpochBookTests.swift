import ReluxWire
import Testing

@testable import ReluxRegistry

/// No epoch is given twice, whatever is remembered of a name.
@Suite struct EpochBookTests {
    @Test func `a name that was forgotten begins behind all that were, also when it is known again without a life`() {
        var book = EpochBook(given: ["Old": 40, "Other": 7, "Kept": 50])
        let isKept = !book.forget(["Old", "Other"], above: 2)
        #expect(isKept && book.next(of: "Old") == Epoch(41))
        let isForgotten = book.forget(["Old", "Other"], above: 1)
        #expect(isForgotten && book.given == ["Kept": 50] && book.floor == 40)
        #expect(book.next(of: "Old") == Epoch(41) && book.next(of: "New") == Epoch(41))
        // The registry's file has its record, and it has had no life.
        let isNews = book.note(given: Epoch(0), to: "Old")
        #expect(!isNews && book.given["Old"] == 0)
        #expect(book.next(of: "Old") == Epoch(41))
    }

    @Test func `a journal that is ahead is believed up to a bound, and what is given goes behind it`() {
        var book = EpochBook(given: ["Auth": 3])
        #expect(book.isBelieved(Epoch(9), of: "Auth") && !book.isBelieved(.limit, of: "Auth") && !book.isBelieved(Epoch(10_000), of: "Auth"))
        book.note(written: Epoch(9), of: "Auth")
        #expect(book.next(of: "Auth") == Epoch(10) && book["Auth"] == 3)
        #expect(book.allows(Epoch(10), of: "Auth") && !book.allows(Epoch(11), of: "Auth"))
        let (later, earlier) = (book.note(given: Epoch(10), to: "Auth"), book.note(given: Epoch(4), to: "Auth"))
        #expect(later && !earlier)
        book.giveBack(Epoch(10), of: "Auth")
        #expect(book["Auth"] == 9)
    }
}
