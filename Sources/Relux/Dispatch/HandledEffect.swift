public import ReluxWire

extension Relux {
    /// The id of the effect that the running handler handles, nil outside a handler.
    ///
    /// A handler that died halfway is run again with the same id. Work that the journal does not know of, a request to a server or a row in
    /// a database, happens at least once; the id is what makes its repetition recognisable.
    public static var handledEffect: EffectID? { Scope.current?.handler?.effect }
}
