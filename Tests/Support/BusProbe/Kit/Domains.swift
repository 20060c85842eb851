package import Relux

/// An effect that carries a number, which is all that scripts look at.
package protocol NumberedEffect: Relux.Effect {
    var number: Int { get }
}

package enum Shop {
    package enum Business {
        package enum Effect: NumberedEffect {
            case buy(item: String, count: Int)
            package var number: Int { switch self { case .buy(_, let count): count } }
        }
    }
}

package enum Bank {
    package enum Business {
        package enum Effect: NumberedEffect {
            case pay(amount: Int)
            package var number: Int { switch self { case .pay(let amount): amount } }
        }
    }
}

package enum Till {
    package enum Business {
        package enum Effect: NumberedEffect {
            case ring(amount: Int)
            package var number: Int { switch self { case .ring(let amount): amount } }
        }
    }
}

package enum News {
    package enum Business {
        /// Kept in memory only.
        package enum Effect: NumberedEffect {
            case tell(padding: String, number: Int)
            package static var wireDurability: Relux.Durability { .transient }
            package var number: Int { switch self { case .tell(_, let number): number } }
        }
    }
}

package enum Vault {
    package enum Business {
        /// On the disk before anybody hears it.
        package enum Effect: NumberedEffect {
            case store(amount: Int)
            package static var wireDurability: Relux.Durability { .machine }
            package var number: Int { switch self { case .store(let amount): amount } }
        }
    }
}

/// The domains whose effects scripted members say to each other.
package enum Domain: String, Codable, Sendable, CaseIterable {
    case shop, bank, till, news, vault

    package var type: any NumberedEffect.Type {
        switch self {
        case .shop: Shop.Business.Effect.self
        case .bank: Bank.Business.Effect.self
        case .till: Till.Business.Effect.self
        case .news: News.Business.Effect.self
        case .vault: Vault.Business.Effect.self
        }
    }
    package var topic: Topic { type.wireTopic }

    /// - Parameter padding: bytes of payload that mean nothing, where there is room for them.
    func effect(_ number: Int, padding: Int = 0) -> any Relux.Effect {
        switch self {
        case .shop: Shop.Business.Effect.buy(item: String(repeating: "x", count: padding), count: number)
        case .bank: Bank.Business.Effect.pay(amount: number)
        case .till: Till.Business.Effect.ring(amount: number)
        case .news: News.Business.Effect.tell(padding: String(repeating: "x", count: padding), number: number)
        case .vault: Vault.Business.Effect.store(amount: number)
        }
    }

    static func of(_ effect: any NumberedEffect) -> Domain? { allCases.first { $0.type == Swift.type(of: effect) } }
}
