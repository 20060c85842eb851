public import NavigationModels
public import Relux

extension Navigation.Business {
    /// Where to go. Routers of other domains return these, so that a domain asks for its own pages and knows no other's.
    public enum Effect: Relux.Effect {
        /// Replaces all pages.
        case set(pages: [Navigation.Business.Model.Page])
        /// Puts a page on top.
        case push(page: Navigation.Business.Model.Page)
        /// Takes the top page away; the last one stays.
        case pop
        /// Puts the page of a link on top.
        case open(link: String)
    }
}
