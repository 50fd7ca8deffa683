#!/bin/sh
# boto3 1.43.0 sends a body over HTTPS in chunks with a checksum at the end (x-amz-content-sha256:
# STREAMING-UNSIGNED-PAYLOAD-TRAILER). s3rver 3.7.1 stores the lengths and the checksum as part of the object.
# With `request_checksum_calculation="when_required"`, the object is the same as the file.
# Seen: "sent 1000 bytes; stored 1043 by default, 1000 with when_required"
set -eu
cd "$(mktemp -d)"
trap 'kill $server 2>/dev/null || true; rm -rf "$PWD"' EXIT
npm install --silent --no-audit --no-fund s3rver@3.7.1 >/dev/null 2>&1
python3 -m venv venv
venv/bin/pip install -q boto3==1.43.0 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost 2>/dev/null
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
node_modules/.bin/s3rver -d data -a localhost -p "$port" --key key.pem --cert cert.pem --configure-bucket bots \
  >/dev/null 2>&1 &
server=$!
cat >put.py <<'P'
import sys
import boto3
from botocore.config import Config

def stored(**options):
    config = Config(s3={"addressing_style": "path"}, **options)
    keys = {"aws_access_key_id": "S3RVER", "aws_secret_access_key": "S3RVER", "region_name": "us-east-1"}
    s3 = boto3.client("s3", endpoint_url=f"https://localhost:{sys.argv[1]}", verify="cert.pem", config=config, **keys)
    s3.put_object(Bucket="bots", Key="bot.zip", Body=b"x" * 1000)
    return s3.head_object(Bucket="bots", Key="bot.zip")["ContentLength"]

print(f"sent 1000 bytes; stored {stored()} by default, {stored(request_checksum_calculation='when_required')}"
      " with when_required")
P
for _ in 1 2 3 4 5 6 7 8 9 10; do
  python3 -c "import socket; socket.create_connection(('localhost', $port), 1)" 2>/dev/null && break
  sleep 1
done
said=$(venv/bin/python put.py "$port")
echo "$said"
[ "$said" = "sent 1000 bytes; stored 1043 by default, 1000 with when_required" ]
