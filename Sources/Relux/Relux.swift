// The node and all that modules are made of.
