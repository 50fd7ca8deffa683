"""Settings of the site. The defaults run it on one machine without any configuration.

Environment variables override them. The comments that begin with ``#:`` describe these variables;
``tools/docs.py`` writes them to ``docs/reference/settings.md``. Times are in seconds unless the name has another unit.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from celery.schedules import crontab

from bots.lookalikes import RESERVED
from esr_platform.accounts.social import elsewhere
from esr_platform.environment import (
    Env,
    check_backup_keys,
    database,
    email_address,
    http_url,
    one_of,
    redis_url,
    sentry_dsn,
    uploads_storage,
)
from esr_platform.logging import LEVELS, logging_config
from esr_platform.public import is_public
from esr_platform.secret import is_weak, private_database, private_folder, secret_key, strong
from esr_platform.supervisor.sockets import private_socket

# --- Site ------------------------------------------------------------------------------------------------------------

env = Env()
env.EMAIL_SCHEMES["consolemail"] = "esr_platform.accounts.console.EmailBackend"
BASE_DIR = Path(__file__).resolve().parent.parent
#: Folder that contains the database, uploads and the secret key. Default: `var` in the checkout.
VAR_DIR = Path(env.str("VAR_DIR", default="") or BASE_DIR / "var").resolve()

SITE_NAME = "Steinreich"
DOCS_DIR = BASE_DIR / "docs"  # missing where only the wheel is installed

#: Show error details. Never use this on a public site.
DEBUG = env.bool("DEBUG", default=False)
try:
    private_folder(VAR_DIR)  # it contains the secret key and the seeds of running games
    #: Key that signs sessions and encrypts stored secrets. Default: created in `VAR_DIR`.
    SECRET_KEY = strong(env.str("SECRET_KEY", default="") or secret_key(VAR_DIR / "secret-key"))
except OSError as error:
    raise SystemExit(
        f"Cannot write to {VAR_DIR} ({error.strerror}). Fix its permissions or set VAR_DIR to another folder."
    ) from None
#: Previous secret keys, which keep existing sessions and stored secrets valid.
EARLIER_SECRET_KEYS = env.list("SECRET_KEY_FALLBACKS", default=[])  # they decrypt stored data (accounts.factors)
SECRET_KEY_FALLBACKS = [key for key in EARLIER_SECRET_KEYS if not is_weak(key)]  # weak keys could forge signatures
#: Host names under which the site is reachable.
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
#: Public URL of the site, used in emails and link previews.
SITE_URL = env.str("SITE_URL", default="http://localhost:8000").rstrip("/")

ELSEWHERE = elsewhere(env)  # providers of linked accounts; none by default

INSTALLED_APPS = [
    "esr_platform.apps.PlatformConfig",
    "esr_platform.accounts.apps.AccountsConfig",
    "esr_platform.account_pages",
    "ladder",
    "ladder.pages",
    "bots",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    *ELSEWHERE.apps,
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_structlog",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "esr_platform.headers.content_security_policy",
    "esr_platform.headers.cache_policy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "esr_platform.compression.CompressionMiddleware",
    "esr_platform.api.http.TemporaryFailures",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "esr_platform.languages.spoken",
    "django_htmx.middleware.HtmxMiddleware",
    "esr_platform.headers.parts_of_pages",
    "esr_platform.headers.page_pace",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
]

ROOT_URLCONF = "esr_platform.urls"
ASGI_APPLICATION = "esr_platform.asgi.application"
WSGI_APPLICATION = "esr_platform.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "esr_platform.context.site",
            ],
        },
    },
]

# --- Accounts --------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
AUTHENTICATION_BACKENDS = ["esr_platform.account_pages.sign_in.Backend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "pages:lobby"
ACCOUNT_ADAPTER = "esr_platform.account_pages.sign_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"{SITE_NAME}: "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # otherwise an open session is enough to take over an account
PASSWORD_RESET_TIMEOUT = 2 * 3600
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True  # otherwise a lockout would continue after a reset
ACCOUNT_PRESERVE_USERNAME_CASING = True
ACCOUNT_USERNAME_BLACKLIST = RESERVED
ACCOUNT_USERNAME_VALIDATORS = "esr_platform.account_pages.forms.validators"
ACCOUNT_FORMS = {
    "signup": "esr_platform.account_pages.forms.SignupForm",
    "login": "esr_platform.account_pages.forms.LoginForm",
    "change_password": "esr_platform.account_pages.forms.ChangePasswordForm",
    "set_password": "esr_platform.account_pages.forms.SetPasswordForm",
    "reset_password": "esr_platform.account_pages.forms.ResetPasswordForm",
    "reset_password_from_key": "esr_platform.account_pages.forms.ResetPasswordKeyForm",
    "add_email": "esr_platform.account_pages.forms.AddEmailForm",
}
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_RATE_LIMITS = {  # mainly per account: many users can share an IP address
    "login": "60/m/ip",
    "login_failed": "30/m/ip,40/h/key",
    "lockout": "6/15m/key",  # wrong passwords per account and IP address (`AccountAdapter` counts them)
}
MFA_ADAPTER = "esr_platform.accounts.factors.MFAAdapter"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_FORMS = {
    "add_webauthn": "esr_platform.accounts.factors.AddKeyForm",
    "edit_webauthn": "esr_platform.accounts.factors.EditKeyForm",
    "activate_totp": "esr_platform.accounts.factors.ActivateTOTPForm",
    "authenticate": "esr_platform.accounts.factors.AuthenticateForm",
    "reauthenticate": "esr_platform.accounts.factors.ReauthenticateForm",
}
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = False
MFA_TOTP_ISSUER = SITE_NAME
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not SITE_URL.startswith("https://")  # browsers allow it only for localhost
SOCIALACCOUNT_PROVIDERS = ELSEWHERE.providers
SOCIALACCOUNT_ADAPTER = "esr_platform.account_pages.linked_accounts.SocialAccountAdapter"
SOCIALACCOUNT_FORMS = {"signup": "esr_platform.account_pages.linked_accounts.SocialSignupForm"}
SOCIALACCOUNT_AUTO_SIGNUP = False  # every user chooses a name and accepts the terms
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # do not trust email addresses of other sites
SOCIALACCOUNT_LOGIN_ON_GET = False
SOCIALACCOUNT_STORE_TOKENS = False
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = SITE_URL.startswith("https://") or is_public(ALLOWED_HOSTS)
#: Send cookies over HTTPS only. Default: on for HTTPS and public sites.
if env.str("SECURE_COOKIES", default=""):
    SESSION_COOKIE_SECURE = env.bool("SECURE_COOKIES")
CSRF_COOKIE_SECURE = SESSION_COOKIE_SECURE

# --- Database and caches ---------------------------------------------------------------------------------------------

#: PostgreSQL database, as in `postgres://user:password@host/name`. Default: SQLite in `VAR_DIR`.
DATABASES = {"default": database(env.str("DATABASE_URL", default=""), VAR_DIR / "db.sqlite3")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3") and DATABASES["default"]["NAME"] != ":memory:":
    with suppress(OSError):  # Django reports the error when it opens the file
        private_database(Path(DATABASES["default"]["NAME"]))
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
try:
    #: Redis server for queues, caches and notifications. Default: an embedded Redis.
    REDIS_URL = redis_url(env.str("REDIS_URL", default="") or f"unix://{private_socket(VAR_DIR)}")
except OSError as error:
    raise SystemExit(
        f"Cannot use {error.filename} ({error.strerror}). Set VAR_DIR to a shorter path or set REDIS_URL."
    ) from None
_REDIS = {
    "LOCATION": REDIS_URL,
    "VERSION": 2,  # version 1 was pickled
    "OPTIONS": {"socket_timeout": 2.0, "socket_connect_timeout": 2.0},
}
CACHES = {
    "default": {"BACKEND": "esr_platform.page_cache.SharedRedisCache", **_REDIS},  # rate limits
    "pages": {"BACKEND": "esr_platform.page_cache.PageCache", "KEY_PREFIX": "pages", **_REDIS},
    "pictures": {  # at most 60 kB each
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "pictures",
        "TIMEOUT": 30 * 86_400,
        "OPTIONS": {"MAX_ENTRIES": 2000},
    },
}

# --- Storage of uploads ----------------------------------------------------------------------------------------------

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "esr_platform.static_files.HashedFiles"},
    "uploads": uploads_storage(
        VAR_DIR / "uploads",
        #: S3 bucket for uploads. If empty, uploads are stored in `VAR_DIR`.
        env.str("UPLOADS_S3_BUCKET", default=""),
        #: URL of an S3-compatible storage service. If empty, AWS is used.
        http_url("UPLOADS_S3_ENDPOINT", env.str("UPLOADS_S3_ENDPOINT", default="")),
    ),
}

# --- Backups ---------------------------------------------------------------------------------------------------------

#: Public key that encrypts backups, from `manage.py backup_keys`.
BACKUP_KEY = env.str("BACKUP_KEY", default="")
#: Second public key, for the rows of a backup from which future deals could be learned.
BACKUP_DEALS_KEY = env.str("BACKUP_DEALS_KEY", default="")
check_backup_keys(BACKUP_KEY=BACKUP_KEY, BACKUP_DEALS_KEY=BACKUP_DEALS_KEY)

# --- Limits ----------------------------------------------------------------------------------------------------------

#: Maximum size of an upload.
MAX_ARCHIVE_BYTES = env.count("MAX_ARCHIVE_BYTES", default=8 << 20)
#: Maximum total size of the files in an upload after unpacking.
MAX_UNPACKED_BYTES = env.count("MAX_UNPACKED_BYTES", default=16 << 20)
#: Maximum size of an upload with an executable. Such programs can contain a whole runtime.
MAX_EXECUTABLE_ARCHIVE_BYTES = env.count("MAX_EXECUTABLE_ARCHIVE_BYTES", default=64 << 20)
#: Maximum total size of the files in an upload with an executable after unpacking.
MAX_EXECUTABLE_UNPACKED_BYTES = env.count("MAX_EXECUTABLE_UNPACKED_BYTES", default=128 << 20)
#: Maximum number of files in an upload.
MAX_ARCHIVE_FILES = env.count("MAX_ARCHIVE_FILES", default=200)
#: Uploads per user and hour, including rejected ones.
MAX_UPLOADS_PER_HOUR = env.int("MAX_UPLOADS_PER_HOUR", default=20)
#: Maximum total size of a user's versions.
MAX_UPLOADED_BYTES_PER_USER = env.int("MAX_UPLOADED_BYTES_PER_USER", default=512 << 20)
#: Bots per user, excluding retired ones.
MAX_BOTS_PER_USER = env.int("MAX_BOTS_PER_USER", default=10)
#: Bots per user, including retired ones.
MAX_BOTS_EVER_PER_USER = env.int("MAX_BOTS_EVER_PER_USER", default=100)
#: Versions per user that are waiting for validation. Undecided versions do not count.
MAX_QUEUED_VALIDATIONS_PER_USER = env.int("MAX_QUEUED_VALIDATIONS_PER_USER", default=5)
#: Maximum time of a bot in all validation games of a version, without server lag.
MAX_VALIDATION_SECONDS = env.count("MAX_VALIDATION_SECONDS", default=1800)
#: Open cups per organizer.
MAX_OPEN_CUPS_PER_USER = env.int("MAX_OPEN_CUPS_PER_USER", default=3)
#: Cups that an organizer creates per day, including canceled ones.
MAX_CUPS_PER_DAY = env.int("MAX_CUPS_PER_DAY", default=10)
#: Games per cup, if it is full.
MAX_GAMES_PER_CUP = env.int("MAX_GAMES_PER_CUP", default=20_000)
#: Games per organizer and day, of full cups that were created.
MAX_CUP_GAMES_PER_DAY = env.int("MAX_CUP_GAMES_PER_DAY", default=20_000)
#: Share of workers for all cups while other matches wait.
CUP_SHARE = env.share("CUP_SHARE", default=0.5)
#: Open match requests per user.
MAX_OPEN_EXHIBITIONS_PER_USER = env.int("MAX_OPEN_EXHIBITIONS_PER_USER", default=3)
#: Match requests per user and day, including canceled ones.
MAX_EXHIBITIONS_PER_DAY = env.int("MAX_EXHIBITIONS_PER_DAY", default=100)
#: Games in match requests per user and day.
MAX_EXHIBITION_MATCHES_PER_DAY = env.int("MAX_EXHIBITION_MATCHES_PER_DAY", default=2400)
#: Blocks per test.
MAX_EXHIBITION_BLOCKS = env.int("MAX_EXHIBITION_BLOCKS", default=100)
#: Blocks per version comparison.
MAX_COMPARISON_BLOCKS = env.int("MAX_COMPARISON_BLOCKS", default=300)
#: Deals per scheduled match.
MAX_SCHEDULED_DEALS = env.int("MAX_SCHEDULED_DEALS", default=20)
#: Maximum number of days until a scheduled match.
MAX_SCHEDULED_DAYS_AHEAD = env.int("MAX_SCHEDULED_DAYS_AHEAD", default=90)
#: Blocks per hour on a ladder that has only house bots.
MAX_HOUSE_BLOCKS_PER_HOUR = env.int("MAX_HOUSE_BLOCKS_PER_HOUR", default=3)
#: Hosted bots in all live games on the site.
MAX_LIVE_HOSTED_SEATS = env.int("MAX_LIVE_HOSTED_SEATS", default=64)
#: Challenges per user that are open or being played.
MAX_OPEN_CHALLENGES_PER_USER = env.int("MAX_OPEN_CHALLENGES_PER_USER", default=5)
#: Challenges per user and day.
MAX_CHALLENGES_PER_DAY = env.int("MAX_CHALLENGES_PER_DAY", default=500)
#: Challenges per day from one user to another, excluding rematches.
MAX_CHALLENGES_TO_ONE_USER_PER_DAY = env.int("MAX_CHALLENGES_TO_ONE_USER_PER_DAY", default=20)
#: Live games per user at a time. Only one of them can be rated.
MAX_LIVE_GAMES_PER_USER = env.int("MAX_LIVE_GAMES_PER_USER", default=3)
#: Hosted bots in one user's live games.
MAX_HOSTED_SEATS_PER_USER = env.int("MAX_HOSTED_SEATS_PER_USER", default=8)
#: Open games per user at a time.
MAX_OPEN_GAMES_PER_USER = env.int("MAX_OPEN_GAMES_PER_USER", default=3)
#: Open games per user and day.
MAX_OPEN_GAMES_PER_DAY = env.int("MAX_OPEN_GAMES_PER_DAY", default=300)
#: Guests on the whole site at a time.
MAX_GUEST_SEATS = env.int("MAX_GUEST_SEATS", default=100)
#: Guests per IP address at a time, including waiting guests.
MAX_GUEST_SEATS_PER_IP = env.int("MAX_GUEST_SEATS_PER_IP", default=40)
#: Guests per IP address and day.
MAX_GUEST_SEATS_PER_IP_PER_DAY = env.int("MAX_GUEST_SEATS_PER_IP_PER_DAY", default=400)
#: Hosted bots in guests' games, which count toward `MAX_LIVE_HOSTED_SEATS`.
MAX_GUEST_HOSTED_SEATS = env.int("MAX_GUEST_HOSTED_SEATS", default=48)
#: Hosted bots in guests' games per IP address.
MAX_GUEST_HOSTED_SEATS_PER_IP = env.int("MAX_GUEST_HOSTED_SEATS_PER_IP", default=24)
#: Chat messages per user and minute.
MAX_CHAT_LINES_PER_MINUTE = env.int("MAX_CHAT_LINES_PER_MINUTE", default=15)
#: Chat messages per user and game.
MAX_CHAT_LINES_PER_GAME = env.int("MAX_CHAT_LINES_PER_GAME", default=200)
#: Reports of chat messages per user and day.
MAX_CHAT_REPORTS_PER_DAY = env.int("MAX_CHAT_REPORTS_PER_DAY", default=20)
#: Leases of each kind of work that a worker host has at a time.
MAX_LEASES_PER_WORKER_HOST = env.count("MAX_LEASES_PER_WORKER_HOST", default=64)
#: Percentage of the games of house bots from worker hosts that are played again on another machine.
WORKER_RECHECK_PERCENT = env.percent("WORKER_RECHECK_PERCENT", default=2.0)
#: Days until a bot log is deleted.
BOT_LOG_DAYS = env.int("BOT_LOG_DAYS", default=30)
#: Maximum size of an account's data download, before compression.
MAX_EXPORT_BYTES = env.count("MAX_EXPORT_BYTES", default=1 << 30)
#: Minimum time between two data downloads of the same account.
EXPORT_PAUSE_SECONDS = env.int("EXPORT_PAUSE_SECONDS", default=600)

# --- Email -----------------------------------------------------------------------------------------------------------

#: Mail server, as in `smtp+tls://user:password@host:587`. The default prints emails to the terminal.
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
#: Sender of all emails.
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="arena@localhost")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
#: Email address of the site staff, shown in the footer.
CONTACT_EMAIL = email_address("CONTACT_EMAIL", env.str("CONTACT_EMAIL", default=""))
EMAIL_TIMEOUT = 10

# --- Languages, formats and static files -----------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]  # translations follow when the English texts are final
LANGUAGE_COOKIE_AGE = 365 * 86_400
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = SESSION_COOKIE_SECURE
LOCALE_PATHS = [BASE_DIR / "esr_platform" / "locale"]
FORMAT_MODULE_PATH = "esr_platform.formats"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# --- HTTPS -----------------------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": " ".join(["'self'", *ELSEWHERE.origins]),
    "frame-ancestors": "'none'",
}
#: How long browsers must use only HTTPS. Default: 30 days on a public HTTPS site, otherwise 0.
SECURE_HSTS_SECONDS = env.int(
    "SECURE_HSTS_SECONDS", default=30 * 86_400 if SESSION_COOKIE_SECURE and is_public(ALLOWED_HOSTS) else 0
)
#: Redirect HTTP to HTTPS. The reverse proxy usually does this.
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=False)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- Requests --------------------------------------------------------------------------------------------------------
#
# X-Forwarded-For is not read here: the web server decides which proxies are trusted.

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["esr_platform.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["esr_platform.api.authentication.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["esr_platform.api.authentication.PerMinute"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.MultiPartParser"],
    "DEFAULT_RENDERER_CLASSES": ["esr_platform.api.http.JsonRenderer"],
    "DEFAULT_SCHEMA_CLASS": None,
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "esr_platform.api.http.on_exception",
    "NUM_PROXIES": 0,
    "URL_FORMAT_OVERRIDE": None,
}
STREAM_PARTS = {  # render the text of pages about an event of a stream; the API imports no pages
    "round": "ladder.pages.match.round_parts",
    "lobby": "ladder.pages.lobby.parts_for_strangers",
}
REQUESTS_PER_MINUTE = {  # per user, bot with its own token, or IP address: API scopes first, then pages
    **dict.fromkeys(("stream", "manage"), 60),
    **dict.fromkeys(("upload", "source", "files"), 30),
    "bulk": 60,  # each returns hundreds of records
    "bulk_together": 240,  # for all clients together; each record is replayed, which takes about 1 ms
    "read": 240,
    "play": 3000,
    "worker": 12_000,  # per worker host: two for each match, and one each 5 s that it lasts
    "table": 120,  # actions at live tables in a browser
    "guesses": 20,
    "search": 60,
    "suggest": 240,
    "pictures": 120,  # for link previews; a new one takes about 100 ms
    "guests": 30,  # games started and joined by guests
    #: Page requests per IP address and minute. Note that users can share an address.
    "pages": env.count("MAX_PAGES_PER_MINUTE", default=1200),
}
#: Pages and API requests that a web process handles at once, besides answers of players.
MAX_PAGES_AT_ONCE = env.count("MAX_PAGES_AT_ONCE", default=2)
REQUEST_HEAD_SECONDS = 10.0  # time to receive the request line and the headers
REQUEST_SECONDS = 120.0  # time to receive the whole request
#: Connections per IP address that have not yet sent all request headers.
MAX_UNFINISHED_HEADS_PER_IP = env.count("MAX_UNFINISHED_HEADS_PER_IP", default=32)
#: Requests per IP address whose bodies have not yet arrived completely.
MAX_UNFINISHED_BODIES_PER_IP = env.count("MAX_UNFINISHED_BODIES_PER_IP", default=64)
#: Open streams per user, bot or IP address.
MAX_STREAMS_PER_CLIENT = env.count("MAX_STREAMS_PER_CLIENT", default=100)
#: Open streams per stream process.
MAX_STREAMS_PER_PROCESS = env.count("MAX_STREAMS_PER_PROCESS", default=5000)

# --- Celery ----------------------------------------------------------------------------------------------------------
#
# A match is one task: the time budget of five seats (``MatchSpec.budget_ms``) fits into the soft limit.

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_SOFT_TIME_LIMIT = 1020
CELERY_TASK_TIME_LIMIT = 1050
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 1200,  # longer than the hard limit; otherwise running tasks are delivered twice
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
    "queue_order_strategy": "esr_platform.celery:OnTimeFirst",
    "socket_keepalive": not REDIS_URL.startswith("unix://"),
}
CELERY_WORKER_POOL = "prefork"  # threads ignore the time limits
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 1.0
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # leases in the database protect matches
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False  # otherwise emails to the terminal get lost
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.5}
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "ladder.tasks.play_match": {"queue": "matches"},
    "ladder.tasks.play_again": {"queue": "matches"},
    "ladder.tasks.validate_next": {"queue": "validations"},
    "ladder.tasks.keep_tables": {"queue": "live"},
    "ladder.tasks.seat": {"queue": "live"},
    "ladder.tasks.finish_table": {"queue": "live"},
    "ladder.tasks.wake_seat": {"queue": "seats"},
    "ladder.tasks.estimate": {"queue": "estimates"},
    "ladder.tasks.measure": {"queue": "estimates"},
    "ladder.tasks.audit": {"queue": "estimates"},
    "ladder.tasks.check_ratings": {"queue": "estimates"},
    "esr_platform.tasks.probe_mail": {"queue": "estimates"},
}
CELERY_DB_REUSE_MAX = 200
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    task: {"task": f"ladder.tasks.{task}", "schedule": every, "options": {"expires": 2 * every}}
    for task, every in {
        "keep_queues": 2.0,
        "keep_tables": 1.0,
        "seat": 5.0,
        "sweep": 5.0,
        "estimate": 30.0,
        "gather": 10.0,
        "measure": 60.0,
        "audit": 300.0,
        "forget_old_logs": 600.0,
        "forget_orphans": 86_400.0,
        "forget_guests": 86_400.0,
    }.items()
}
CELERY_BEAT_SCHEDULE["check_ratings"] = {
    "task": "ladder.tasks.check_ratings",
    "schedule": crontab(hour=3, minute=17),
    "options": {"expires": 3600.0},
}
for module, task, every in (
    ("account_pages.tasks", "write_digests", 60.0),
    ("account_pages.tasks", "erase_deleted", 60.0),
    ("tasks", "heartbeat", 5.0),
    ("tasks", "probe_mail", 120.0),
):
    CELERY_BEAT_SCHEDULE[task] = {
        "task": f"esr_platform.{module}.{task}",
        "schedule": every,
        "options": {"expires": every},
    }

# --- Metrics and logs ------------------------------------------------------------------------------------------------

#: Token that gives programs access to `/metrics` and to the details of `/readyz`. Operators can always read metrics.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
#: Free bytes on the disk of `VAR_DIR` below which `/readyz` fails. The site itself stops at 10 MB.
MIN_FREE_DISK_BYTES = env.int("MIN_FREE_DISK_BYTES", default=1 << 30)
#: Milliseconds from which a database query is listed on the page *Operations*. 0 lists none.
SLOW_QUERY_MS = env.int("SLOW_QUERY_MS", default=500)
#: URL of a project of Sentry, which gets all errors. Needs the extra `sentry`.
SENTRY_DSN = sentry_dsn(env.str("SENTRY_DSN", default=""))
#: URL of an OpenTelemetry collector, which gets traces over HTTP. Needs the extra `otel`.
OTEL_EXPORTER_OTLP_ENDPOINT = http_url(
    "OTEL_EXPORTER_OTLP_ENDPOINT", env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default="")
)
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True  # ``RequestIds`` has replaced those of strangers
DJANGO_STRUCTLOG_CELERY_TASK_START_LOG_LEVEL = logging.DEBUG  # several periodic tasks are sent each second
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG  # the line at the end has the same values
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.DEBUG  # Django already logs a warning
LOGGING_CONFIG = None
#: Format of the log: `console`, or `json` with an object per line. The error that ends a command stays plain.
LOG_FORMAT = one_of("LOG_FORMAT", env.str("LOG_FORMAT", default="console"), ("console", "json"))
logging_config(
    #: Minimum level: `DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`. Commands use `WARNING`, except `run_process`.
    level=one_of("LOG_LEVEL", env.str("LOG_LEVEL", default="INFO").upper(), LEVELS),
    as_json=LOG_FORMAT == "json",
    colors=os.isatty(2),
    secrets=(
        *(SECRET_KEY, *EARLIER_SECRET_KEYS, METRICS_TOKEN, SENTRY_DSN),
        *(DATABASES["default"].get("PASSWORD"), vars().get("EMAIL_HOST_PASSWORD"), urlsplit(REDIS_URL).password),
        *(value for name, value in os.environ.items() if name.endswith(("_CLIENT_SECRET", "_SECRET_ACCESS_KEY"))),
    ),
)
