/// A page that cannot be executed, or a step of it.
package struct PageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
