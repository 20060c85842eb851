package import ReluxPlugin

/// A plugin whose image is in this process, for good.
package struct LoadedPlugin: Sendable {
    package let verified: VerifiedPlugin
    package let box: PluginBox

    package var declaration: ModuleDeclaration { box.declaration }
}
