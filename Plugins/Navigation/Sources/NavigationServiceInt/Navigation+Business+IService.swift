public import NavigationModels

extension Navigation.Business {
    /// Pages as links and back: `relux://notes/details?id=n1` is page `details` of `notes` with one parameter.
    public protocol IService: Sendable {
        /// - Throws: `invalidLink`, with the part that is wrong.
        func page(at link: String) async throws(Model.Failure) -> Model.Page

        /// The link of a page; parameters in the order of their names.
        ///
        /// - Throws: `invalidLink` for a domain or a name that no link can hold.
        func link(to page: Model.Page) async throws(Model.Failure) -> String
    }
}
