"""The schema's history. :func:`server.database.open_database` brings every database to the newest revision."""
