"""Training of the systems: the parts that one system needs and others do not."""
