/// The files of a domain, with `__D__` for its name, `__d__` for that in lower case, and `__CORE__`, `__PLUGINS__` for the folders it
/// depends on. What is the same in every domain is a test's business: it compares with the checked-in ones.
enum DomainTemplate {}
