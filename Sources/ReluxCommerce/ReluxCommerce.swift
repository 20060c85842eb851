// Names all that the cluster of deploy/commerce.yaml runs, for one build; see Package.swift.
