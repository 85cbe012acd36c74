# What `.ci/run` and `.ci/nightly` share: steps that are counted, and the end that says what failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true
mkdir -p .cache
passed=0
failed=0
failures=()
retried=()

# More retried tests than this fail the run: a test that needs a retry hides a race.
RETRIES_ALLOWED=2

# Runs a command and counts it; the end of what it printed is repeated after the last step if it failed.
step() {
  local name=$1 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@" 2>&1 | tee .cache/step.log; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+=("$name: $(tail -n 20 .cache/step.log)")
  fi
  printf '== %s: %d s\n' "$name" $((SECONDS - begin))
}

# Runs a command of vitest and counts each test; a run that ends badly without a failed test counts as one failure.
tests() {
  local report=.cache/tests.json begin=$SECONDS status reported_passed reported_failed
  printf '\n== %s\n' "$*"
  rm -f "$report"
  TEST_REPORT=$report "$@" --reporter=default --reporter=./.ci/report.js
  status=$?
  read -r reported_passed reported_failed < <(read_report 'r.passed + " " + r.failures.length' || echo '0 1')
  passed=$((passed + reported_passed))
  failed=$((failed + reported_failed))
  if [ "$status" -ne 0 ]; then
    [ "$reported_failed" -gt 0 ] || failed=$((failed + 1))
    failures+=("$*: $(read_report 'r.failures.join("\n")')")
  fi
  mapfile -t -O "${#retried[@]}" retried < <(read_report 'r.retried.join("\n")' | sed '/^$/d')
  printf '== %s: %d s\n' "$*" $((SECONDS - begin))
}

read_report() {
  node --print "const r = JSON.parse(fs.readFileSync('.cache/tests.json')); $1" 2>/dev/null
}

# Runs commands at the same time, for those that use one core; fails if one of them does.
together() {
  local pids=() status=0 command pid
  for command; do
    bash -c "$command" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=1; done
  return "$status"
}

# Starts a command beside the next steps, which often wait: it gets what they leave. Its own step is `started_beside`.
start_beside() {
  rm -f .cache/beside.status
  { nice -n 19 bash -c "$1" >.cache/beside.log 2>&1; echo $? >.cache/beside.status; } &
  beside=$!
}

started_beside() {
  tail -n +1 -f --pid="$beside" .cache/beside.log
  return "$(<.cache/beside.status)"
}

# Debian's packages, by the command that each brings. npm's browsers would be downloaded, and where one of these is
# missing, the tests that need it are skipped.
debian() {
  local missing=()
  while read -r package command; do
    command -v "$command" >/dev/null || missing+=("$package")
  done <<'PACKAGES'
chromium chromium
dbus dbus-daemon
fish fish
git git
gnome-keyring gnome-keyring-daemon
libsecret-1-0 gnome-keyring-daemon
nginx-light nginx
openssl openssl
postgresql pg_ctlcluster
redis-server redis-server
zsh zsh
PACKAGES
  /usr/bin/python3 -c 'import msal, jwt' 2>/dev/null || missing+=(python3-msal python3-jwt)
  [ ${#missing[@]} -eq 0 ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; }
}

few_retries() {
  printf '%s\n' "${retried[@]}"
  [ "${#retried[@]}" -le "$RETRIES_ALLOWED" ]
}

# The last lines of a run.
finish() {
  step "tests that passed only when retried: ${#retried[@]} (at most $RETRIES_ALLOWED)" few_retries
  [ "$failed" -eq 0 ] || printf '\n== FAILED: %s\n' "${failures[@]}"
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
}
