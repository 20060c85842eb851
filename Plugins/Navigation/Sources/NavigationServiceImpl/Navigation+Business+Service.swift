internal import FoundationEssentials
public import NavigationModels
public import NavigationServiceInt

extension Navigation.Business {
    /// Reads and writes the links of the scheme `relux`.
    public struct Service: IService {
        public static let scheme = "relux"
        /// Bytes of a link at most.
        public static let linkLength = 2_048

        public init() {}

        public func page(at link: String) async throws(Model.Failure) -> Model.Page {
            guard link.utf8.count <= Self.linkLength else {
                throw Self.invalid("it has \(link.utf8.count) bytes; use at most \(Self.linkLength)", in: link)
            }
            guard let parts = URLComponents(string: link), parts.scheme == Self.scheme else {
                throw Self.invalid("it must start with \(Self.scheme)://", in: link)
            }
            guard parts.user == nil, parts.password == nil, parts.port == nil, parts.fragment == nil else {
                throw Self.invalid("it holds more than domain, page and parameters", in: link)
            }
            let domain = try Self.checked(parts.host ?? "", "domain", in: link)
            let name = try Self.checked(String(parts.path.drop { $0 == "/" }), "page", in: link)
            var parameters: [String: String] = [:]
            // A percent-encoded value that is no UTF-8 decodes to nothing.
            let written = parts.percentEncodedQueryItems ?? []
            for (item, encoded) in zip(parts.queryItems ?? [], written) {
                guard item.name.isEmpty == encoded.name.isEmpty, (item.value ?? "").isEmpty == (encoded.value ?? "").isEmpty else {
                    throw Self.invalid("'\(encoded.name)=\(encoded.value ?? "")' is no UTF-8", in: link)
                }
                guard parameters.updateValue(item.value ?? "", forKey: item.name) == nil else {
                    throw Self.invalid("the parameter '\(item.name)' is there twice", in: link)
                }
            }
            return Model.Page(domain: domain, name: name, parameters: parameters)
        }

        public func link(to page: Model.Page) async throws(Model.Failure) -> String {
            var parts = URLComponents()
            parts.scheme = Self.scheme
            parts.host = try Self.checked(page.domain, "domain", in: page.domain)
            parts.path = "/" + (try Self.checked(page.name, "page", in: page.name))
            if !page.parameters.isEmpty {
                parts.queryItems = page.parameters.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
            }
            guard let link = parts.string else { throw Self.invalid("its parameters cannot be written", in: page.name) }
            return link
        }

        private static func checked(_ word: String, _ what: String, in link: String) throws(Model.Failure) -> String {
            let isWord = word.unicodeScalars.first.map { ("a"..."z").contains($0) } ?? false
                && word.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
            guard isWord else {
                throw invalid("'\(word.prefix(64))' is no \(what); use letters a to z, digits and '-'", in: link)
            }
            return word
        }

        private static func invalid(_ reason: String, in link: String) -> Model.Failure {
            Model.Failure(code: .invalidLink, message: "'\(link.prefix(128))' leads nowhere: \(reason)")
        }
    }
}
