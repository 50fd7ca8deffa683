"""The OpenAPI document: what every address takes and answers, with examples, errors, and links between them."""
