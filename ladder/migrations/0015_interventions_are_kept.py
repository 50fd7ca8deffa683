from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SQLITE = """
CREATE TRIGGER ladder_intervention_is_kept BEFORE UPDATE ON ladder_intervention
BEGIN SELECT RAISE(ABORT, 'what staff did stays on record as it is'); END;
"""
POSTGRES = """
CREATE TRIGGER ladder_intervention_is_kept BEFORE UPDATE OR DELETE ON ladder_intervention
FOR EACH ROW EXECUTE FUNCTION esr_is_kept();
"""


def keep(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Let the database refuse changes to staff interventions, as ``bots.0003`` does for bots and people."""
    editor.execute(POSTGRES if editor.connection.vendor == "postgresql" else SQLITE)


def let_go(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    table = " ON ladder_intervention" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP TRIGGER IF EXISTS ladder_intervention_is_kept{table}")


class Migration(migrations.Migration):
    dependencies = [
        ("ladder", "0014_scores_of_games_ended_early"),
        ("bots", "0003_suspensions"),
    ]

    operations = [
        migrations.RunPython(keep, let_go),
    ]
