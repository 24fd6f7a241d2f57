"""The rules of the house as tables: who may include whom, and which files may do what others may not.

Read by the checks of this folder. Every exception stands here, by role; there is no mark that switches a check off in a
file. A path pattern matches whole paths from the top of the repository; `*` also matches `/`.
"""

# ---- who may include whom (docs/architecture.md) --------------------------------------------------------------------
# A layer is a folder; the longest name that fits a path wins. "generated" are the messages made from proto/.
GENERATED = "generated"
ANY = "any"

LAYERS = {
    "src/base": {"src/base"},
    "src/events": {"src/base", "src/events", GENERATED},
    "src/projections": {"src/base", "src/events", "src/projections", GENERATED},
    "src/controller": {"src/base", "src/events", "src/projections", "src/controller", GENERATED},
    "src/pool": {"src/base", "src/events", "src/projections", "src/pool"},
    "src/session": {"src/base", "src/session"},
    "src/client": {"src/base", "src/session", "src/client", GENERATED},
    "src/server": {
        "src/base", "src/events", "src/projections", "src/controller", "src/pool", "src/session", "src/server",
        "replay", GENERATED,
    },
    "replay": {
        "src/base", "src/events", "src/projections", "src/controller", "src/pool", "src/session", "replay", GENERATED,
    },
    # What judges the controller from outside shares no rule with it: of src/ it knows only the ids.
    "tools/judge": {"tools/judge", "src/base/strong_id.h", "src/base/ids.h", GENERATED},
    "tools": {"src/base", "src/session", "src/client", "tools", "tools/judge", GENERATED},
    "tests": {ANY},
    # What judges the simulation shares no rule with what it judges, as the judge of the fleet.
    "tests/simulation/oracle": {
        "tests/simulation/oracle", "tests/simulation/checkers", "tools/judge", "src/base/strong_id.h", "src/base/ids.h",
        GENERATED,
    },
    "tests/simulation/checkers": {
        "tests/simulation/oracle", "tests/simulation/checkers", "tools/judge", "src/base/strong_id.h", "src/base/ids.h",
        GENERATED,
    },
    "bench": {ANY},
}

# ---- headers of others: pattern of the included name -> the files that may include it --------------------------------
FOREIGN_HEADERS = [
    ("RocksDB", r"rocksdb/", ["src/events/rocksdb_*", "tests/events/*", "bench/*"]),
    ("gRPC", r"grpcpp/|grpc/|grpc\+\+/|.*\.grpc\.pb\.h$", ["src/server/*", "src/client/*", "tools/*", "tests/*", "bench/*"]),
    ("hiredis", r"hiredis/", ["src/pool/redis_connection.cc", "src/pool/redis_reply.cc"]),
    ("OpenSSL", r"openssl/",
     ["src/base/sha256.*", "src/base/random.*", "src/client/snapshot_checksum.*", "tools/judge/*", "tools/import/*"]),
    ("prometheus-cpp", r"prometheus/", ["src/server/metrics_server.cc", "src/server/status_metrics.*", "tests/server/*"]),
    ("libcurl", r"curl/", ["tools/checker/*", "tests/checker/*"]),
    ("Boost", r"boost/", ["tools/echo/*", "tests/echo/*", "tests/checker/*"]),
    ("nlohmann/json", r"nlohmann/", ["src/server/config*", "tools/*", "replay/*", "tests/*"]),
    ("GoogleTest", r"gtest/|gmock/", ["tests/*", "bench/*"]),
    ("Google Benchmark", r"benchmark/", ["bench/*"]),
]

# ---- calls: name, pattern in code (no comments, no strings), where it applies, who may, what to do instead -----------
EVERYWHERE = ["*"]
BANNED_CALLS = [
    ("a clock",
     r"::now\s*\(|\babsl::(?:Now|GetCurrentTimeNanos)\b|\bclock_gettime\b|\bgettimeofday\b|\bgpr_now\b"
     r"|(?<![\w.>])(?:std::)?time\s*\(\s*(?:NULL|nullptr|0|&\w+)\s*\)|\bstd::clock\s*\(",
     EVERYWHERE, ["src/base/boot_clock.*", "src/base/wall_clock.*", "tools/*", "bench/*"],
     "take the time as an argument, or read it through src/base/boot_clock.h"),
    ("a random source",
     r"\brandom_device\b|(?<![\w.>])s?rand\s*\(|\bgetrandom\b|\bgetentropy\b|\bmt19937(?:_64)?\b|\bminstd_rand0?\b"
     r"|\bdefault_random_engine\b|\babsl::(?:Insecure)?BitGen\b|\bRAND_bytes\b",
     EVERYWHERE, ["src/base/random.*", "tools/*"],
     "let ids and random bytes come in with the command, from src/base/random.h"),
    ("a sleep",
     r"\bsleep_(?:for|until)\b|\bu?sleep\s*\(|\bnanosleep\b|\bclock_nanosleep\b|\bSleepFor\b",
     ["src/*", "replay/*", "tests/*"], [],
     "wait on a condition, or move a simulated clock"),
    ("an unordered container of the standard library",
     r"\bstd::unordered_\w+",
     ["src/projections/*", "src/controller/*"], [],
     "use absl::flat_hash_map for look-ups and an ordered container wherever an order can be seen"),
    ("a main function",
     r"\bint\s+main\s*\(",
     EVERYWHERE, ["*/main.cc", "tests/*", "bench/*"],
     "a program's entry stands in main.cc, its parts in a library that tests can link"),
]

# Folders in which an order may reach an event or a digest: no walk over a hash container there.
ORDERED_FOLDERS = ["src/projections/*", "src/controller/*"]

# ---- words -----------------------------------------------------------------------------------------------------------
# Put together from halves so that this table does not find itself.
BANNED_WORDS = [
    (r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b", EVERYWHERE, ["*package-lock.json"],
     "a line that promises work for later: do it, or leave it out"),
    (r"(?i:\bjour" + r"nal\b)|\bW" + r"AL\b|(?i:\bwrite-ahead log\b)", ["src/*"], ["src/events/rocksdb_*"],
     "ours is the log, with blocks and entries (docs/glossary.md)"),
    (r"(?<![\w.])/(?:wo" + r"rk|fa" + r"rm|ro" + r"ot|ho" + r"me)/\w", EVERYWHERE, [],
     "a path of one machine: name it from the top of the repository, or take it as an argument"),
    (r"\b[Ii]ssue\s+#?\d+\b", EVERYWHERE, [],
     "the repository speaks of the product alone: say what and why instead of a ticket's number"),
    (r'"resolved":', ["*package-lock.json"], [],
     "a lock file that names its registry: make it with `npm install --omit-lockfile-registry-resolved`"),
]

# ---- sizes -----------------------------------------------------------------------------------------------------------
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_COLUMNS = 120
MAX_HEADER_COMMENT_LINES = 15
