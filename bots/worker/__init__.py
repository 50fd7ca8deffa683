"""A worker: it plays what a site hands out, in sandboxed processes, and knows neither database nor secrets."""
