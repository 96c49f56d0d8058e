#!/bin/sh
# Runs a command while holding a claim: one at a time of all that use the same resource, on whatever machine.
#
#   with-claim.sh [-u URL] [-t TTL] RESOURCE COMMAND [ARGUMENT...]
#
# The claim is prolonged as long as the command runs. If it is lost (revoked, or the service is away for longer than its time to
# live) the command is stopped. Ends with the command's status; 75 if there was no claim to be had or it was lost.
# For a service that asks who is there, put "Authorization: Bearer TOKEN" into CLAIMS_HEADER; or, for tokens that expire, a command that
# prints that into CLAIMS_HEADER_COMMAND. Requests go to the URL that was given, whatever the service calls itself.
set -eu

url=${CLAIMS_URL:-http://127.0.0.1:8470}
ttl=30
while getopts u:t: option; do
  case $option in
    u) url=$OPTARG ;;
    t) ttl=$OPTARG ;;
    *) exit 64 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { echo "usage: with-claim.sh [-u URL] [-t TTL] RESOURCE COMMAND [ARGUMENT...]" >&2; exit 64; }
resource=$1
shift

# Asks the service, with a limit to every request.
ask() {
  header=${CLAIMS_HEADER:-X-Client: with-claim}
  [ -z "${CLAIMS_HEADER_COMMAND:-}" ] || header=$(sh -c "$CLAIMS_HEADER_COMMAND")
  curl --silent --show-error --max-time 40 --header 'Content-Type: application/json' --header "$header" "$@"
}

# What the service answers: headers, body and status. Fails if there is no answer, or if it lacks the mark that the service's answers had
# before: then a gateway has answered in its place.
marked=
own_answer() {
  response=$(ask --include --write-out ' %{http_code}' "$@") || return 1
  printf '%s' "$response"
  [ -z "$marked" ] || has_mark "$response"
}
has_mark() {
  printf '%s\n' "$1" | grep -qi '^lockkeeper-claims:'
}
code_of() {
  sed -n '$s/.* \([0-9]*\)$/\1/p'
}

# What a claim's JSON says of its status.
status_of() {
  sed -n 's/.*"status":"\([a-z]*\)","status_history".*/\1/p'
}

# What is left of its time to live.
left_of() {
  sed -n 's/.*"ttl":\([0-9.]*\),"active_duration".*/\1/p'
}

# When it was created. A service that has lost its data gives the same ids again, to others.
created_of() {
  sed -n 's/.*"status_history":\[[^]]*\],"created":"\([^"]*\)".*/\1/p'
}

# Any text as JSON text.
quote() {
  printf '%s' "$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g'
}

# Seconds, by a clock that nobody sets, if there is one: the lease must be prolonged whatever happens to the time of day.
now() {
  cut -d' ' -f1 /proc/uptime 2> /dev/null || date +%s
}

# The key makes it harmless to ask again when an answer was lost. It is random: containers may have the same name and process numbers.
key="$(hostname)-$$-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
# As long as it waits it asks; a claim that nobody asks for any more leaves the queue after a minute.
body="{\"resource\":\"$(quote "$resource")\",\"ttl\":$ttl,\"waiting_ttl\":60,\"user_data\":{\"host\":\"$(quote "$(hostname)")\",\"process\":$$}}"
post() {
  own_answer --retry 5 --retry-connrefused --header "Idempotency-Key: $key" --data "$body" "$url/v1/claims/"
}
url_of() {
  sed -n "s|^{\"url\":\"[^\"]*/v1/claims/\([0-9]*\)/\".*|$url/v1/claims/\1/|p"
}
# Whether an answer shows another claim than the one that this client has made.
is_other() {
  case $(printf '%s' "$1" | created_of) in
    '' | "$created") return 1 ;;
  esac
}
is_own() {
  [ "$(printf '%s' "$1" | created_of)" = "$created" ]
}
# Ends the claim, and prints the status of the answer; nothing if there is none.
end() {
  for pause in 1 2 4 ''; do
    # An older service does not look when the claim was created.
    if [ -z "$marked" ] && seen=$(own_answer "$claim") && is_other "$seen"; then
      echo 404
      return
    fi
    if answer=$(own_answer --request PATCH --data "{\"status\":\"$1\"}" "$claim?created=$created"); then
      code=$(printf '%s' "$answer" | code_of)
      case $code in
        5*) ;;
        *) echo "$code"; return ;;
      esac
    fi
    [ -z "$pause" ] || sleep "$pause"
  done
}

claim=
# Interrupted before the answer was read, it asks again to learn which claim it was.
learn() {
  answer=$(post) || answer=
  created=$(printf '%s\n' "$answer" | created_of)
  ! has_mark "$answer" || marked=1
  [ -z "$created" ] || claim=$(printf '%s\n' "$answer" | url_of)
}
trap '[ -n "$claim" ] || learn; [ -z "$claim" ] || end aborted > /dev/null; exit 75' INT TERM
asked=$(now)
learn
[ -n "$claim" ] || { echo "with-claim: ${answer:-the service cannot be reached}" >&2; exit 75; }

status=$(printf '%s' "$answer" | status_of)
while [ "$status" = waiting ]; do
  # Answered as soon as it is not waiting any more. No answer, 429 or 503 is asked again, without a wait, since a gateway may cut long
  # requests. An answer that says nothing of the claim ends this.
  asked=$(now)
  answer=$(own_answer "$claim?wait=25&while=waiting" 2> /dev/null) || answer=' 503'
  case $answer in
    *' 429' | *' 5'[0-9][0-9])
      sleep 1
      asked=$(now)
      answer=$(own_answer "$claim" 2> /dev/null) || continue ;;
  esac
  case $answer in
    *' 5'[0-9][0-9]) continue ;;
  esac
  is_own "$answer" || { echo "with-claim: $answer" >&2; exit 75; }
  status=$(printf '%s' "$answer" | status_of)
done
[ "$status" = active ] || { echo "with-claim: the claim is $status" >&2; exit 75; }

# Prints the status of the answer; nothing if there is none. If another claim has this id, the service has lost its data.
prolong() {
  answer=$(own_answer --max-time "$(awk "BEGIN { print $ttl / 4 }")" --request PATCH --data "{\"ttl\":$ttl}" "$claim?created=$created" \
    2> /dev/null) || return 0
  if is_other "$answer"; then echo 404; return; fi
  code=$(printf '%s' "$answer" | code_of)
  # Only an answer that shows the claim has prolonged it.
  [ "$code" != 200 ] || is_own "$answer" || return 0
  echo "$code"
}
# Whether the lease may be over at the service.
late() {
  [ "$(awk "BEGIN { print ($(now) - $alive < $ttl * 0.9) }")" != 1 ]
}

# The lease counts from when it was asked for, so it ends here before it ends at the service.
left=$(printf '%s' "$answer" | left_of)
alive=$(awk "BEGIN { printf \"%.3f\", $asked - $ttl + ${left:-$ttl} }")
# This machine may have stood still since the answer.
if late; then
  alive=$(now)
  [ "$(prolong)" = 200 ] || { end aborted > /dev/null; echo 'with-claim: the claim was lost' >&2; exit 75; }
fi

"$@" &
command=$!

# Prolongs three times in a ttl. A refusal means that the claim is over; no answer at all is borne as long as the ttl runs.
(
  pause=
  trap 'kill "$pause" 2> /dev/null || true; exit 0' TERM
  while :; do
    # Told to end before the trap was set, it was not told at all; but then the command is over.
    kill -0 "$command" 2> /dev/null || exit 0
    nap=$(awk "BEGIN { pause = $alive + $ttl / 3 - $(now); if (pause > $ttl / 3) pause = $ttl / 3; printf \"%.3f\", (pause > 0 ? pause : 0) }")
    # It may outlive this by a moment, and must not keep the caller's output open.
    sleep "$nap" > /dev/null 2>&1 &
    pause=$!
    wait "$pause"
    asked=$(now)
    case $(prolong) in
      200) alive=$asked ;;
      4*) break ;;
    esac
    ! late || break
  done
  trap '' TERM
  echo 'with-claim: the claim was lost' >&2
  kill -TERM "$command" 2> /dev/null
  exit 75
) &
keeper=$!
trap 'kill -TERM "$command" 2> /dev/null || true' INT TERM

result=0
wait "$command" || result=$?
kill -TERM "$keeper" 2> /dev/null || true
# Told to end before it had set its trap, it has another status than after a loss.
kept=0
wait "$keeper" 2> /dev/null || kept=$?
if [ "$kept" = 75 ]; then exit 75; fi
# Where it can no longer be released it was lost since it was last prolonged; an earlier attempt may have released it, though.
code=$(end released)
[ "$code" != 400 ] || case $(own_answer "$claim" | status_of) in
  released | '') ;;
  *) code=404 ;;
esac
if [ "$code" = 404 ]; then
  echo 'with-claim: the claim was lost' >&2
  result=75
fi
exit "$result"
