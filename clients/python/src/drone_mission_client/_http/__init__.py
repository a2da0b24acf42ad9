"""Requests to the REST API."""
