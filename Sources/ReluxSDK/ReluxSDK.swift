// No code: the target's dependencies are its meaning. They are what `relux sdk export` takes out of a build besides the cluster's own parts.
