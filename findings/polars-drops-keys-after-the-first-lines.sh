#!/bin/sh
# polars.read_ndjson of polars 2.1.0 takes the columns from the first 100 lines (infer_schema_length=100). A key that first occurs later
# is dropped without an error or a warning, and its values are lost. With infer_schema_length=None the column is kept.
# Seen: default ["match"], None ["match", "forfeits"]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install --quiet --target "$folder" polars==2.1.0 2>/dev/null
PYTHONPATH=$folder python3 - <<'PY'
import io, json

import polars

lines = [{"match": n} for n in range(200)] + [{"match": 200, "forfeits": 1}]
text = "\n".join(map(json.dumps, lines)).encode()
default = polars.read_ndjson(io.BytesIO(text)).columns
whole = polars.read_ndjson(io.BytesIO(text), infer_schema_length=None).columns
print(f"default {json.dumps(default)}, None {json.dumps(whole)}")
assert (default, whole) == (["match"], ["match", "forfeits"])
PY
