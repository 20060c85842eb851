// No code: the target's dependencies are its meaning. They are the executables and plugins that `deploy/cluster` runs.
