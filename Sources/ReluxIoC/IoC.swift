// Container.
