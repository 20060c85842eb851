// Authors write `import Relux` and nothing more: identifiers and coding come with it.
@_exported public import ReluxWire
