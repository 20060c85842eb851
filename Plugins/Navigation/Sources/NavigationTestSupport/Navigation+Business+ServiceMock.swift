public import NavigationModels
public import NavigationServiceInt

extension Navigation.Business {
    /// A service that knows the links that a test gives it and no others.
    public struct ServiceMock: IService {
        private let pages: [String: Model.Page]

        public init(pages: [String: Model.Page] = [:]) {
            self.pages = pages
        }

        public func page(at link: String) async throws(Model.Failure) -> Model.Page {
            guard let page = pages[link] else { throw Model.Failure(code: .invalidLink, message: "the mock has no '\(link)'") }
            return page
        }

        public func link(to page: Model.Page) async throws(Model.Failure) -> String {
            guard let link = pages.first(where: { $0.value == page })?.key else {
                throw Model.Failure(code: .invalidLink, message: "the mock has no link to '\(page.name)'")
            }
            return link
        }
    }
}
