/// The steps with a plugin after a change. Each is a program that is awaited.
package enum DevStep: String, Sendable, Codable, CaseIterable {
    /// Brings the generated coders up to date that the package has.
    case generate
    case build, lint, test, pack
    /// Asks the cluster whether it has the module; what comes next depends on the answer.
    case look
    case load, upgrade

    /// The cluster has the change in hand, and ends what it has begun.
    var isDeployment: Bool { self == .load || self == .upgrade }
}

/// How a step's program has ended.
package enum StepEnd: Sendable, Hashable {
    /// It has done what it was started for.
    case passed
    /// The answer of ``DevStep/look``: whether the cluster has the module, so that another version can take it over.
    case looked(isServed: Bool)
    /// With the exit status that the whole command ends with, if it ends now.
    case failed(status: Int32)
}
