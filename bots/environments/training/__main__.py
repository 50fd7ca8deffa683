"""Train the network of a game by self-play: ``python -m bots.environments.training GAME``.

``FOLDER/GAME.pt`` and the files of ``FOLDER/GAME`` are the checkpoint, from which the same command continues;
``GAME.json`` and ``GAME.png`` are the curve. ``GAME.safetensors`` has the weights (``games.network``) of the best point
of the curve: the one whose worst result is the highest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

try:
    import torch
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
except ModuleNotFoundError as error:
    raise SystemExit(f"The training needs {error.name}. Run `pip install '.[train]'` in a checkout.") from error

from bots.environments.training.clones import SHARPNESS, Round, work
from bots.environments.training.games import Games
from bots.environments.training.ppo import STEPS, Training
from bots.environments.vector import Numbers
from games.network import save
from games.registry import GAMES

ROUNDS: Final = 20
"""Rounds in which house bots play against the network: the points of the curve, and the candidates for the result."""

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
        seed = options.seed + rollouts
        spawn = get_context("spawn")
        self.house, other_end = spawn.Pipe()
        arguments = self.game, self.seats, options.hidden, seed, self.base, bool(checkpoint)
        spawn.Process(target=work, args=(other_end, *arguments), daemon=True).start()
        other_end.close()
        games = Games(self.game, options.games, self.seats, seed)
        self.training = Training(games, options.hidden, seed)
        self._use(self.house.recv())
        if checkpoint:
            self.training.resume(checkpoint["training"])
            self.curve = checkpoint["curve"]
        else:
            self.training.begin_as(self.training.clones[-1])
            self._save()
        self.playing: tuple[dict[str, Any], dict[str, Numbers]] | None = None
        """The point of the curve and the weights in the round that is played."""
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
            if not self.training.progress.rollouts:
                self._begin_round()
            while (number := self.training.progress.rollouts) < self.rollouts:
                self.training.collect()
                self.training.learn(number / self.rollouts)
                number += 1
                if number * ROUNDS // self.rollouts > (number - 1) * ROUNDS // self.rollouts:
                    self._end_round(bar)
                    self._begin_round()
                if number % SAVE_EVERY == 0:
                    self._save()
                bar.update(task, completed=number)
            self._end_round(bar)
            self._save()

    def _begin_round(self) -> None:
        """Let house bots play against the present network while the training continues."""
        progress, tensors = self.training.progress, self.training.average.tensors()
        point = {"rollouts": progress.rollouts, "steps": progress.steps, "entropy": progress.entropy}
        self.house.send((len(self.curve) + 1, tensors, self.options.blocks))
        self.playing = point, tensors

    def _end_round(self, bar: Progress) -> None:
        """Wait for the round that is played. Add it to the curve, and use its clones."""
        if self.playing is None:
            return
        point, tensors = self.playing
        self.playing, result = None, self.house.recv()
        if min(result.shares.values()) > max((min(known["shares"].values()) for known in self.curve), default=-1):
            save(self.base.with_suffix(".safetensors"), self.game, tensors)
        self.curve.append({**point, "shares": result.shares, "imitated": result.imitated})
        self._use(result)
        against = "; ".join(f"{share:.2f} against {names}" for names, share in result.shares.items())
        clones = ", ".join(f"{share:.1%} of {name}" for name, share in result.imitated.items())
        bar.console.print(
            f"{point['steps']:,} steps, entropy {point['entropy']:.2f}, fair shares of the win: {against}. "
            f"Clones imitated {clones}."
        )

    def _use(self, result: Round) -> None:
        """Let the clones of a round play in the training."""
        clones = map(self.training.loaded, result.clones)
        self.training.play_against(
            [clone.sharpened(factor) for clone, factor in zip(clones, cycle(SHARPNESS), strict=False)]
        )

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
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch (default: %(default)s)")
    parser.add_argument("--blocks", type=int, default=20, help="blocks per mixture and round (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=Path("var/training"), help="folder (default: %(default)s)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    Run(options).train()


if __name__ == "__main__":
    main()
