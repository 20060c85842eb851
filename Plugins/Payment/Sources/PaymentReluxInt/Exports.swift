// Who listens to Payment imports its interface and nothing more: the models of its effects come with it.
@_exported public import PaymentModels
