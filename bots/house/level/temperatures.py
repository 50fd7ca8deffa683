"""How flat the distribution is from which a level draws its actions, for levels 1 to 6 by game.

``python -m bots.environments.training.levels`` measures these numbers, so that each level is clearly stronger than the
one below.
"""

TEMPERATURES = {
    "edel-stein-reich-duel": (8.0, 4.0, 2.5, 1.8, 1.3, 0.8),
}
