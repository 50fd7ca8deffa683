"""How flat the distribution is from which a level draws its actions, for levels 1 to 6 by game.

``python -m bots.environments.training.levels`` measures these numbers, so that each level is clearly stronger than the
one below.
"""

TEMPERATURES = {
    "edel-stein-reich": (9.98, 7.69, 6.04, 4.4, 2.73, 0.5),
    "edel-stein-reich-duel": (8.58, 6.81, 5.03, 4.01, 2.96, 0.5),
}
