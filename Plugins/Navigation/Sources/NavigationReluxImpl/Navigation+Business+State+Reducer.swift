internal import NavigationModels
internal import NavigationReluxInt
internal import Relux

extension Navigation.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Navigation.Business.Effect.self] }

    func reduce(with action: any Relux.Action) async {
        switch action as? Navigation.Business.Effect {
        case .set(let pages): self.pages = pages.suffix(Self.depth)
        case .push(let page) where page != pages.last: pages = (pages + [page]).suffix(Self.depth)
        case .pop where pages.count > 1: pages.removeLast()
        case .cover(let page): cover(page)
        case .uncover(let domain, let name): covers.removeAll { $0.domain.utf8.elementsEqual(domain.utf8) && $0.name.utf8.elementsEqual(name.utf8) }
        case .push, .pop, .open, .covers, nil: break
        }
    }
}
