import Testing

/// Real processes, one story per file. Nested in one suite, because two clusters at a time would only slow each other down.
@Suite(.serialized, .compactMapIssues(FailedExpectations.note)) struct EndToEnd {}
