"""What the client offers, a module for each kind of resource."""
