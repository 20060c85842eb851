public import NavigationModels
public import Relux

extension Navigation.Business {
    /// Where to go. Routers of other domains return these, so that a domain asks for its own pages and knows no other's.
    public enum Effect: Relux.Effect {
        /// Replaces all pages but those that cover them.
        case set(pages: [Navigation.Business.Model.Page])
        /// Puts a page on top of all but those that cover them.
        case push(page: Navigation.Business.Model.Page)
        /// Takes the top page away; the last one stays, and so do pages that cover others.
        case pop
        /// Puts the page of a link on top.
        case open(link: String)
        /// Keeps a page above all others until it is uncovered by its name. A page of the same domain and name that is
        /// there is replaced where it is. At most 64 cover; beyond it the lowest is forgotten.
        case cover(page: Navigation.Business.Model.Page)
        /// Removes the covering page of this domain and name, if there is one, and shows the page below again. No other page goes.
        case uncover(domain: String, name: String)
        /// Answers with the covering pages, `[Page]`, from bottom to top; the caller finds what its earlier life has left there.
        case covers
    }
}
