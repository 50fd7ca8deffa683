"""Whether what is stored is so: games by re-executing them, deals by making them again from the keys."""
