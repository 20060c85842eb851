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
        /// Keeps a page above all others, whatever they do meanwhile, until it is uncovered by its name. One of the same domain and name that is
        /// there is replaced where it is. At most 64 cover; beyond it the lowest is forgotten.
        case cover(page: Navigation.Business.Model.Page)
        /// Takes the page of this domain and name away that covers others, if there is one: what was below is shown again. Nobody else's page goes.
        case uncover(domain: String, name: String)
        /// Answers with the pages that cover all others, `[Page]`, from bottom to top: what an earlier life of whoever asks has left, for example.
        case covers
    }
}
