def tell(log, names):
    return []
