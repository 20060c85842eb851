import NavigationModels
@testable import NavigationReluxImpl
import NavigationReluxInt
import NavigationTestSupport
import Relux
import ReluxIoC
import Testing

@MainActor
@Suite struct NavigationModuleTests {
    typealias Effect = Navigation.Business.Effect
    typealias Page = Navigation.Business.Model.Page

    let home = Page(domain: "app", name: "main")
    let login = Page(domain: "auth", name: "login")
    let node = Relux()

    func pages() -> [Page]? {
        node.store.getState(Navigation.Business.State.self)?.pages
    }

    @Test func `pages are set, pushed and popped, and the last one stays`() async {
        await node.register { Navigation.Module() }
        await node.dispatcher.actions {
            Effect.set(pages: [home])
            Effect.push(page: login)
            Effect.push(page: login)
        }
        #expect(pages() == [home, login])
        await node.dispatcher.actions {
            Effect.pop
            Effect.pop
        }
        #expect(pages() == [home])
    }

    @Test func `a page that covers others stays above whatever they do, and goes alone`() async {
        await node.register { Navigation.Module() }
        let (closed, why, tip) = (Page(domain: "app", name: "closed"), ["why": "a test"], Page(domain: "app", name: "tip"))
        await node.dispatcher.actions {
            Effect.set(pages: [home])
            Effect.cover(page: closed)
            Effect.push(page: login)
            Effect.cover(page: tip)
            Effect.pop
            Effect.pop
            Effect.set(pages: [login])
            Effect.cover(page: Page(domain: "app", name: "closed", parameters: why))
        }
        let covers = [Page(domain: "app", name: "closed", parameters: why), tip]
        #expect(node.store.getState(Navigation.Business.State.self)?.current.pages == [login] + covers)
        #expect(await node.dispatcher.actions { Effect.covers }.value([Page].self, from: "Navigation") == covers)
        await node.dispatcher.actions {
            Effect.uncover(domain: "auth", name: "login")
            Effect.uncover(domain: "app", name: "closed")
            Effect.uncover(domain: "app", name: "closed")
        }
        #expect(node.store.getState(Navigation.Business.State.self)?.current.pages == [login, tip])
        #expect(pages() == [login])
    }

    @Test func `no more pages cover than can be`() async {
        let state = Navigation.Business.State()
        for index in 0..<100 { await state.reduce(with: Effect.cover(page: Page(domain: "notes", name: "n\(index)"))) }
        #expect(state.covers.count == 64 && state.covers.last?.name == "n99")
        await state.cleanup()
        #expect(state.covers.isEmpty)
    }

    @Test func `a deep pile forgets its lowest pages`() async {
        let state = Navigation.Business.State()
        for index in 0..<100 { await state.reduce(with: Effect.push(page: Page(domain: "notes", name: "n\(index)"))) }
        #expect(state.pages.count == 64)
        #expect(state.pages.last?.name == "n99")
    }

    @Test func `a link opens its page and a bad link is a failure`() async {
        await node.register { Navigation.Module() }
        let good = await node.dispatcher.actions { Effect.open(link: "relux://auth/login") }
        #expect(good.isSuccess)
        #expect(pages() == [login])
        let bad = await node.dispatcher.actions { Effect.open(link: "nowhere") }
        #expect(bad.failures.map(\.code) == ["invalidLink"])
        #expect(pages() == [login])
    }

    @Test func `a relay shows the pages of now and then every change`() async {
        let module = Navigation.Module()
        await node.register { module }
        let relay = node.store.getRelay(for: Navigation.Business.Snapshot.self)
        #expect(relay?.value.pages == [])
        let changes = AsyncStream.makeStream(of: [Page].self)
        relay?.observe { changes.continuation.yield($0.pages) }
        await node.dispatcher.actions { Effect.set(pages: [home]) }
        var seen = changes.stream.makeAsyncIterator()
        #expect(await seen.next() == [])
        #expect(await seen.next() == [home])
    }

    @Test func `the module is called Navigation and says what it handles`() {
        #expect(Navigation.Module().moduleID == "Navigation")
        #expect(Effect.wireTopic == "Navigation.Business.Effect")
        #expect(Navigation.Module.buildIoC().refusals.isEmpty)
    }
}
