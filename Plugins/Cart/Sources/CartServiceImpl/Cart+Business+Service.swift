public import CartModels
public import CartServiceInt
internal import Foundation
internal import ReluxFiles

extension Cart.Business {
    /// Prices from a JSON object in a file, cents by article; without the file, a short list to try things with.
    ///
    /// The file is read at each question: it is small, and a new price counts at once.
    public final class Service: IService {
        public static let samples: [String: Int64] = ["bread": 320, "butter": 249, "milk": 129, "socket": 1_990]

        private let path: String

        public init(path: String) { self.path = path }

        public func price(of sku: String) async throws(Model.Failure) -> Int64 {
            let prices = try prices()
            guard let (_, price) = prices.first(where: { $0.key.isSpelled(like: sku) }) else {
                let known = prices.keys.sorted().prefix(10).joined(separator: ", ")
                throw Model.Failure(
                    code: .unknownArticle, message: "there is no article '\(sku.prefix(64))' in the price list; it has \(known)")
            }
            guard (0...Model.Line.priceLimit).contains(price) else {
                throw Model.Failure(
                    code: .priceList,
                    message: "'\(sku)' costs \(price) cents in \(path); a price is 0 to \(Model.Line.priceLimit): correct the list")
            }
            return price
        }

        private func prices() throws(Model.Failure) -> [String: Int64] {
            let data: Data
            do {
                guard let read = try DiskFile.read(path) else { return Self.samples }
                data = read
            } catch {
                throw Model.Failure(
                    code: .priceList,
                    message: "the price list \(path) cannot be read: \(DiskFile.reason(of: error)); put a file there that this user may read, or remove it")
            }
            do { return try JSONDecoder().decode([String: Int64].self, from: data) } catch {
                throw Model.Failure(
                    code: .priceList,
                    message: "the price list \(path) is no JSON object of whole cents by article (\(DiskFile.reason(of: error))); correct it or remove it")
            }
        }
    }

    /// What `services: mock` means for the cart: every article exists and costs one unit of money.
    public final class ServiceInMemory: IService {
        public init() {}
        public func price(of sku: String) async throws(Model.Failure) -> Int64 { 100 }
    }
}
