"""Train the network of a game by self-play: ``python -m bots.environments.training GAME``.

``FOLDER/GAME.pt`` is the checkpoint, from which the same command continues; ``GAME.json`` and ``GAME.png`` are the
curve. ``GAME.safetensors`` has the weights (``games.network``) of the best point of the curve: the one whose worst
result is the highest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bots.environments.training.clones import clones
from bots.environments.training.evaluation import MIXTURES, BatchNetwork, evaluate
from bots.environments.training.games import Games
from bots.environments.training.ppo import STEPS, Training
from games.network import save
from games.registry import GAMES

POINTS: Final = 20
"""Points of the curve, which are also the candidates for the result."""

SAVE_EVERY: Final = 20
"""Rollouts between two checkpoints."""


class Run:
    """A training in a folder."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.game = options, options.game
        self.seats = options.seats or list(GAMES[options.game].seat_counts)
        self.base: Path = options.folder / options.game
        options.folder.mkdir(parents=True, exist_ok=True)
        self.settings = {name: getattr(options, name) for name in ("game", "steps", "hidden", "games", "seed")} | {
            "seats": self.seats
        }
        self.curve: list[dict[str, Any]] = []
        checkpoint = self._checkpoint()
        rollouts = checkpoint["training"]["progress"]["rollouts"] if checkpoint else 0
        # A continued training deals other games than those that it has seen.
        games = Games(self.game, options.games, self.seats, options.seed + rollouts)
        self.training = Training(games, options.hidden, options.seed + rollouts)
        if not checkpoint:
            made = []
            for text, network in clones(self.game, self.training.new_network, self.training.random):
                print(text, flush=True)
                made.append(network)
            self.training.begin_with(made)
            self._save()
        else:
            self.training.resume(checkpoint["training"])
            self.curve = checkpoint["curve"]
        self.rollouts = -(-options.steps // (STEPS * len(games)))

    def _checkpoint(self) -> Any:
        """Return the checkpoint of this training, or ``None``."""
        path = self.base.with_suffix(".pt")
        if not path.exists():
            return None
        checkpoint = torch.load(path, weights_only=True)
        if checkpoint["settings"] != self.settings:
            raise SystemExit(
                f"{path} is a training with other settings: {checkpoint['settings']}. Use them again, another --folder,"
                " or delete the file."
            )
        return checkpoint

    def train(self) -> None:
        """Train to the end."""
        columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
        with Progress(*columns) as bar:
            task = bar.add_task(self.game, total=self.rollouts, completed=self.training.progress.rollouts)
            while (number := self.training.progress.rollouts) < self.rollouts:
                self.training.collect()
                self.training.learn(number / self.rollouts)
                number += 1
                if number * POINTS // self.rollouts > (number - 1) * POINTS // self.rollouts:
                    bar.console.print(self._measure())
                if number % SAVE_EVERY == 0 or number == self.rollouts:
                    self._save()
                bar.update(task, completed=number)

    def _measure(self) -> str:
        """Add a point to the curve. Return it as a line of text."""
        progress = self.training.progress
        network = BatchNetwork(self.game, self.training.average.tensors())
        shares = {
            ", ".join(names): seats * evaluate(network, seats, names, self.options.blocks).wins.value
            for names in MIXTURES[self.game]
            if (seats := len(names) + 1) in self.seats
        }
        if min(shares.values()) > max((min(point["shares"].values()) for point in self.curve), default=-1):
            save(self.base.with_suffix(".safetensors"), self.game, self.training.average.tensors())
        self.curve.append({"steps": progress.steps, "entropy": progress.entropy, "shares": shares})
        against = "; ".join(f"{share:.2f} against {names}" for names, share in shares.items())
        return f"{progress.steps:,} steps, entropy {progress.entropy:.2f}, fair shares of the win: {against}"

    def _save(self) -> None:
        """Write all files. A stop at any moment leaves the old checkpoint or the new one."""
        path = self.base.with_suffix(".pt")
        new = path.with_suffix(".new")
        torch.save({"settings": self.settings, "training": self.training.state(), "curve": self.curve}, new)
        new.replace(path)
        if self.curve:
            self.base.with_suffix(".json").write_text(json.dumps(self.curve, indent=1) + "\n", encoding="utf-8")
            draw(self.curve, GAMES[self.game].name, self.base.with_suffix(".png"))


def draw(curve: Sequence[dict[str, Any]], title: str, path: Path) -> None:
    """Draw the share of the win against house bots over the steps of the training."""
    from matplotlib import pyplot  # its import takes a second

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for names in curve[0]["shares"]:
        steps = [point["steps"] / 1e6 for point in curve]
        axes.plot(steps, [point["shares"][names] for point in curve], marker="o", label=names)
    axes.set(title=title, xlabel="Million steps", ylabel="Wins in fair shares")
    axes.set_ylim(bottom=0)
    axes.axhline(1, color="gray", linewidth=1)
    axes.grid(alpha=0.3)
    axes.legend(loc="best", fontsize="small")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(
        prog="python -m bots.environments.training", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--seats", type=int, nargs="+", help="numbers of seats (default: all of the game)")
    parser.add_argument("--steps", type=int, default=60_000_000, help="number of steps (default: %(default)s)")
    parser.add_argument("--games", type=int, default=1023, help="number of games at once (default: %(default)s)")
    parser.add_argument("--hidden", type=int, default=256, help="units of each hidden layer (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the training (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch (default: %(default)s)")
    parser.add_argument("--blocks", type=int, default=20, help="blocks per point of the curve (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=Path("var/training"), help="folder (default: %(default)s)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    Run(options).train()


if __name__ == "__main__":
    main()
