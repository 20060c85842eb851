import NavigationModels
import NavigationServiceImpl
import Testing

@Suite struct NavigationServiceTests {
    typealias Failure = Navigation.Business.Model.Failure
    typealias Page = Navigation.Business.Model.Page
    let service = Navigation.Business.Service()

    @Test(arguments: [
        (Page(domain: "auth", name: "login"), "relux://auth/login"),
        (Page(domain: "notes", name: "details", parameters: ["id": "n 1&2", "edit": ""]), "relux://notes/details?edit=&id=n%201%262"),
    ])
    func `a page has a link that leads back to it`(page: Page, link: String) async throws {
        #expect(try await service.link(to: page) == link)
        #expect(try await service.page(at: link) == page)
    }

    @Test(arguments: [
        ("", "relux://"), ("https://auth/login", "relux://"), ("relux://", "no domain"), ("relux://auth", "no page"),
        ("relux://auth/login/now", "'login/now' is no page"), ("relux://Auth/login", "no domain"),
        ("relux://auth/login?a=%ff&b=x", "'a=%ff' is no UTF-8"), ("relux://auth/login?%ff=x", "is no UTF-8"),
        ("relux://auth/login?a=1&a=2", "'a' is there twice"), ("relux://me@auth/login", "more than"),
        ("relux://auth/" + String(repeating: "x", count: 2_048), "at most 2048"),
    ])
    func `a link that leads nowhere says which part is wrong`(link: String, reason: String) async {
        let failure = await #expect(throws: Failure.self) { try await service.page(at: link) }
        #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
    }

    @Test func `a page that no link can hold is refused`() async {
        await #expect(throws: Failure.self) { try await service.link(to: Page(domain: "au th", name: "login")) }
        await #expect(throws: Failure.self) { try await service.link(to: Page(domain: "auth", name: "")) }
    }
}
