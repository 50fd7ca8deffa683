"""Metrics, and what reads them: the guide, the alert rules, the dashboard and the runbook."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import redis
import yaml
from django.conf import settings
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from esr_platform import figures, tasks
from esr_platform.figures import SharedHistogram
from esr_platform.health import CHECKS
from esr_platform.queues import MESSAGES
from ladder.matches.dispatch import ON_TIME, QUEUE, SOON
from ladder.matches.leases import expire_leases
from ladder.matches.play import play
from ladder.models import Ladder, Match
from ladder.pages.components.documentation import Documentation
from tests.build import block_on, claimed, expire_lease, opened_house, report_of, signed_in, staff
from tests.services.tools import program

ROOT = Path(settings.BASE_DIR)
RULES = ROOT / "deploy" / "prometheus" / "alerts.yml"
ALERTS: list[dict[str, Any]] = [
    rule for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]
]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "steinreich.json").read_text(encoding="utf-8"))
OF_PROMETHEUS = {"up"}
OF_THE_LIBRARY = ("process_", "python_")


@pytest.fixture
def site(transactional_db: None, broker: str) -> Client:
    """A site with house bots, as site staff see it."""
    opened_house()
    tasks.heartbeat()
    return signed_in(staff("eve"))


def samples(client: Client) -> dict[str, float]:
    """The values by name and labels, as ``name{label="value"}`` with sorted labels."""
    families = text_string_to_metric_families(client.get("/metrics").content.decode())
    return {_named(sample.name, sample.labels): sample.value for family in families for sample in family.samples}


def _named(name: str, labels: dict[str, str]) -> str:
    inside = ",".join(f'{label}="{value}"' for label, value in sorted(labels.items()))
    return f"{name}{{{inside}}}" if inside else name


def metric_names(client: Client) -> set[str]:
    """The names of all metrics; of histograms without a suffix."""
    text = client.get("/metrics").content.decode()
    names = set(re.findall(r"^# TYPE (\S+) ", text, flags=re.MULTILINE))
    return {name for name in names if not name.endswith("_created")}


# --- Figures ---------------------------------------------------------------------------------------------------------


def test_a_match_is_counted_in_each_of_its_stages(site: Client) -> None:
    match = block_on(Ladder.objects.get(slug="edel-stein-reich-4")).matches.order_by("pk")[0]
    assert play(match.pk, lambda spec, observer: report_of(match, forfeits={1: "exit"})) == "finished"
    found = samples(site)
    assert found['match_attempts_total{ending="finished"}'] == 1
    for stage, labels in (("wait", 'purpose="ladder"'), ("play", 'purpose="ladder"'), ("store", "")):
        suffix = f"{{{labels}}}" if labels else ""
        assert found[f"match_{stage}_seconds_count{suffix}"] == 1
    assert found['match_forfeits_total{reason="exit"}'] == 1


def test_a_lost_worker_is_counted(site: Client) -> None:
    assert samples(site)["match_leases_expired_total"] == 0
    match = block_on(Ladder.objects.get(slug="edel-stein-reich-4")).matches.order_by("pk")[0]
    claimed(match)
    expire_lease(match)
    assert expire_leases() == 1
    found = samples(site)
    assert found["match_leases_expired_total"] == 1
    assert found['match_attempts_total{ending="expired"}'] == 1


def test_queues_are_counted_with_their_age(site: Client, broker: str) -> None:
    block = block_on(Ladder.objects.get(slug="edel-stein-reich-4"))
    first = block.matches.order_by("pk")[0]
    Match.objects.filter(pk=first.pk).update(due_at=first.due_at - timedelta(minutes=10))
    with redis.Redis.from_url(broker) as client:
        client.lpush("soon", "a message", "another one")
    found = samples(site)
    assert found['matches{state="queued"}'] == block.matches.count()
    assert 600 <= found['queue_age_seconds{queue="matches"}'] < 700
    assert found['queue_age_seconds{queue="validations"}'] == 0
    assert found['queue_messages{queue="soon"}'] == 2
    assert 0 <= found["scheduler_age_seconds"] < 60


def test_the_queues_are_those_of_the_site() -> None:
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    assert {*routed, settings.CELERY_TASK_DEFAULT_QUEUE, QUEUE, SOON, ON_TIME} == {*MESSAGES}


def test_a_histogram_counts_each_duration_in_its_bucket_and_all_larger_ones(site: Client) -> None:
    for seconds in (-1.0, 0.005, 0.0051, 2000.0):
        figures.TASKS.observe(seconds, "test")
    found = samples(site)
    buckets = [found[f'task_seconds_bucket{{le="{limit}",task="test"}}'] for limit in SharedHistogram.BUCKETS_S]
    assert buckets == [2, *[3] * (len(buckets) - 1)]
    assert found['task_seconds_bucket{le="+Inf",task="test"}'] == found['task_seconds_count{task="test"}'] == 4
    assert found['task_seconds_sum{task="test"}'] == pytest.approx(2000.0101)


def test_streams_of_processes_that_have_ended_do_not_count(site: Client, broker: str) -> None:
    figures.note_streams(7)
    with redis.Redis.from_url(broker) as client:
        client.set(f"{figures.STREAMS}:other", 5)
        client.sadd(figures.STREAMS, f"{figures.STREAMS}:other", f"{figures.STREAMS}:ended")
        assert samples(site)["stream_clients"] == 12
        client.delete(f"{figures.STREAMS}:other")
        assert samples(site)["stream_clients"] == 7
        assert client.scard(figures.STREAMS) == 1


def test_without_redis_nothing_fails_and_the_database_is_still_shown(site: Client, settings: Any) -> None:
    settings.REDIS_URL = "unix:///nonexistent"
    figures.ATTEMPTS.add("finished")
    names = metric_names(site)
    assert "match_attempts_total" not in names
    assert {"matches", "health_check_failing"} <= names


# --- Guide, alerts, dashboard and runbook ----------------------------------------------------------------------------


def test_the_guide_lists_all_metrics(site: Client) -> None:
    guide = (ROOT / "docs" / "guides" / "monitor.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([a-z_]+)` \|", guide, flags=re.MULTILINE)) - {check.name for check in CHECKS}
    own = {name for name in metric_names(site) if not name.startswith(OF_THE_LIBRARY)}
    assert listed == own
    assert len(own) >= 20


def test_the_guide_lists_all_checks() -> None:
    guide = (ROOT / "docs" / "guides" / "monitor.md").read_text(encoding="utf-8")
    table = guide.partition("| check |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z]+)` \|", table, flags=re.MULTILINE) == [check.name for check in CHECKS]


def expressions() -> Iterator[tuple[str, str]]:
    for alert in ALERTS:
        yield alert["alert"], alert["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


def test_panels_of_processes_show_only_those_of_the_site() -> None:
    of_all = [each for _, each in expressions() if any(name in each for name in OF_THE_LIBRARY)]
    assert len(of_all) >= 3
    assert [each for each in of_all if 'job="steinreich"' not in each] == []


_WORDS = {"by", "and", "max", "min", "sum", "rate", "increase", "absent", "histogram_quantile", "predict_linear"}


def test_alerts_and_dashboard_use_metrics_that_exist(site: Client) -> None:
    names = metric_names(site) | OF_PROMETHEUS
    known = names | {f"{name}_{suffix}" for name in names for suffix in ("bucket", "count", "sum")}
    count = 0
    for title, expression in expressions():
        plain = re.sub(r"\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)", " ", expression)
        used = set(re.findall(r"[a-z][a-z_]+", plain)) - _WORDS
        assert used, title
        assert used <= known, title
        count += 1
    assert count > 40


def test_each_alert_and_each_check_has_a_section_in_the_runbook() -> None:
    docs = Documentation(ROOT)
    page = next(page for page in docs.by_source.values() if page.slug.endswith("runbook"))
    anchors, checks = docs.anchors(page), {check.name for check in CHECKS}
    assert checks <= anchors
    for alert in ALERTS:
        url, _, anchor = alert["annotations"]["runbook_url"].partition("#")
        assert url == f"https://arena.example.org/docs/{page.slug}/"
        assert anchor == "{{ $labels.check }}" or anchor == alert["alert"].lower()
        assert anchor in anchors or "$labels.check" in anchor


def test_the_alerts_about_checks_cover_each_check_once() -> None:
    (urgent,), (other,) = (
        [re.findall(r'check(=~|!~)"([^"]+)"', alert["expr"])[0] for alert in ALERTS if alert["alert"] == name]
        for name in ("HealthCheckFailing", "HealthCheckDegraded")
    )
    assert (urgent[0], other[0]) == ("=~", "!~")
    assert urgent[1] == other[1]
    assert set(urgent[1].split("|")) < {check.name for check in CHECKS}


@pytest.mark.slow
@pytest.mark.nightly
def test_promtool_passes_the_tests_of_the_alerts_and_notices_each_missing_rule(tmp_path: Path) -> None:
    promtool = program("promtool", "prometheus", tmp_path)

    def test(folder: Path) -> int:
        command = [promtool, "test", "rules", folder / "alerts.test.yml"]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert test(RULES.parent) == 0
    for number, alert in enumerate(ALERTS):
        copy = copytree(RULES.parent, tmp_path / str(number))
        rules = yaml.safe_load((copy / "alerts.yml").read_text(encoding="utf-8"))
        for group in rules["groups"]:
            group["rules"] = [rule for rule in group["rules"] if rule["expr"] != alert["expr"]]
        (copy / "alerts.yml").write_text(yaml.safe_dump(rules), encoding="utf-8")
        assert test(copy) == 1, alert["alert"]
