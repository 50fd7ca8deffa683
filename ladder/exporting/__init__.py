"""All results in tables of columns, as Parquet files, for whoever computes with them elsewhere."""
