extension Navigation.Business.Model {
    /// One page of one domain. Navigation knows no domain: domain, name and parameters are the domain's own words.
    public struct Page: Sendable, Equatable, Hashable, Codable {
        public let domain: String
        public let name: String
        public let parameters: [String: String]

        public init(domain: String, name: String, parameters: [String: String] = [:]) {
            self.domain = domain
            self.name = name
            self.parameters = parameters
        }
    }
}
