"""The service over HTTP: the application, what stands before it, and the server."""
