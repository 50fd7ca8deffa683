"""The pages of the ladder. Views parse, ask once and answer; the modules beside them put together what is shown."""
