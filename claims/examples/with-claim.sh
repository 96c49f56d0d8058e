#!/bin/sh
# Runs a command while holding a claim: one at a time of all that use the same resource, on whatever machine.
#
#   with-claim.sh [-u URL] [-t TTL] RESOURCE COMMAND [ARGUMENT...]
#
# The claim is prolonged as long as the command runs. If it is lost (revoked, or the service is away for longer than its time to
# live) the command is stopped. So it is on SIGINT, SIGTERM and SIGHUP, and the claim is released when it has ended. Ends with the
# command's status; 75 if there was no claim to be had or it was lost. If the claim ends while it waits, as when the service has lost
# its data, another one is made.
# For a service that authenticates clients, put "Authorization: Bearer TOKEN" into CLAIMS_HEADER; or, for tokens that expire, a command that
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
case $ttl in
  *[!0-9.]* | '' | *.*.* | .) echo "with-claim: -t needs a number of seconds" >&2; exit 64 ;;
esac
[ $# -ge 2 ] || { echo "usage: with-claim.sh [-u URL] [-t TTL] RESOURCE COMMAND [ARGUMENT...]" >&2; exit 64; }
resource=$1
shift
case $resource in
  *[[:cntrl:]]*) echo "with-claim: a resource's name is one line, without tabs" >&2; exit 64 ;;
esac

# Asks the service, with a limit to every request.
ask() {
  header=${CLAIMS_HEADER:-X-Client: with-claim}
  [ -z "${CLAIMS_HEADER_COMMAND:-}" ] || header=$(sh -c "$CLAIMS_HEADER_COMMAND")
  curl --silent --show-error --max-time 40 --header 'Content-Type: application/json' --header "$header" "$@"
}

# What the service answers: headers, body and status. Fails as curl does if there is no answer; with 1 if it lacks the mark that the
# service's answers had before: then a gateway has answered in its place.
marked=
own_answer() {
  response=$(ask --include --write-out ' %{http_code}' "$@") || return $?
  case ${CLAIMS_HEADER_COMMAND:+$(printf '%s' "$response" | code_of)} in
    401 | 403)
      # A token may have expired on its way.
      sleep 0.5
      response=$(ask --include --write-out ' %{http_code}' "$@") || return $? ;;
  esac
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

# Seconds, by a clock that cannot be set, if there is one: the lease must be prolonged whatever happens to the time of day.
now() {
  cut -d' ' -f1 /proc/uptime 2> /dev/null || date +%s
}

# As long as it waits it asks; a claim that is no longer asked for leaves the queue after a minute.
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
# Whether the service does not know the claim any more.
is_gone() {
  is_other "$1" || case $1 in *'{"error":"There is no claim '[0-9]*) ;; *) return 1 ;; esac
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
        5* | 401 | 403 | 429) ;;
        *) echo "$code"; return ;;
      esac
    fi
    [ -z "$pause" ] || sleep "$pause"
  done
}

claim=
# Interrupted before the answer was read, it asks again to learn which claim it was.
learn() {
  failed=0
  answer=$(post) || { failed=$?; answer=; }
  created=$(printf '%s\n' "$answer" | created_of)
  ! has_mark "$answer" || marked=1
  [ -z "$created" ] || claim=$(printf '%s\n' "$answer" | url_of)
}
# Whether the answer was cut off. Then the claim may have been made.
is_lost() {
  case $failed in
    18 | 52 | 55 | 56 | 92) ;;
    *) return 1 ;;
  esac
}
trap '[ -n "$claim" ] || learn; [ -z "$claim" ] || end aborted > /dev/null; exit 75' INT TERM HUP
give_up() {
  [ -z "$claim" ] || end aborted > /dev/null
  echo "with-claim: $1" >&2
  exit 75
}

# Tries to prolong the claim. 1: that has failed, but may succeed again; 2: the claim is over.
prolong() {
  answer=$(own_answer --max-time "$(awk "BEGIN { print ($ttl < 8 ? 2 : $ttl / 4) }")" --request PATCH --data "{\"ttl\":$ttl}" \
    "$claim?created=$created" 2> /dev/null) || return 1
  ! is_gone "$answer" || return 2
  case $answer in
    *', and that is final."'*' 400') return 2 ;;
  esac
  # Only an answer that shows the claim has prolonged it.
  [ "$(printf '%s' "$answer" | code_of)" = 200 ] && is_own "$answer"
}
# Whether the lease may be over at the service.
late() {
  [ "$(awk "BEGIN { print ($(now) - $alive < $ttl * 0.9) }")" != 1 ]
}

# Makes a claim and waits until it is active. 1: it has ended before, and another one is needed.
acquire() {
  claim=
  # The key makes it harmless to ask again when an answer was lost. It is random: containers may have the same name and process numbers.
  key="$(hostname)-$$-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  asked=$(now)
  learn
  # A service that was there may be away for a while.
  while [ -z "$claim$answer" ] && { [ -n "$had_one" ] || is_lost; } && [ "$(awk "BEGIN { print ($(now) - $began < 60) }")" = 1 ]; do
    sleep 1
    asked=$(now)
    learn
  done
  [ -n "$claim" ] || give_up "${answer:-the service cannot be reached}"
  had_one=1
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
      *' 429' | *' 5'[0-9][0-9]) continue ;;
    esac
    ! is_gone "$answer" || return 1
    is_own "$answer" || give_up "$answer"
    status=$(printf '%s' "$answer" | status_of)
  done
  [ "$status" != expired ] || return 1
  [ "$status" = active ] || give_up "the claim is $status"
  # The lease counts from when it was asked for, so it ends here before it ends at the service.
  left=$(printf '%s' "$answer" | left_of)
  alive=$(awk "BEGIN { printf \"%.3f\", $asked - $ttl + ${left:-$ttl} }")
  [ "$(awk "BEGIN { print ($(now) - $alive < $ttl / 3) }")" != 1 ] || return 0
  # The answer took long, or this machine has stood still since.
  asked=$(now)
  code=0
  prolong || code=$?
  [ "$code" != 0 ] || alive=$asked
  if [ "$code" = 2 ] || late; then
    end aborted > /dev/null
    return 1
  fi
}

had_one=
fruitless=0
began=$(now)
until acquire; do
  if [ "$(awk "BEGIN { print ($(now) - $began > 1) }")" = 1 ]; then
    fruitless=0
  else
    # Several services without common data may share the address.
    fruitless=$((fruitless + 1))
    [ "$fruitless" -le 60 ] || give_up 'the service has ended each claim at once'
    sleep 1
  fi
  began=$(now)
done

# Until the command has ended, a signal ends the command, and not the claim. It may have to clean up.
command=
told=
trap 'told=1; [ -z "$command" ] || kill -TERM "$command" 2> /dev/null || true' INT TERM HUP
# Without this the shell gives no input to what runs in the background.
{ command exec 3<&0; } 2> /dev/null || exec 3< /dev/null
"$@" <&3 3<&- &
command=$!
exec 3<&-
[ -z "$told" ] || kill -TERM "$command" 2> /dev/null || true

# Prolongs three times in a ttl. A refusal or no answer is borne as long as the ttl runs: a token may have expired. What prolongs may hang,
# and the machine may have been suspended. So a ticker interrupts each wait, and the lease is looked at.
(
  attempt=
  ticker=
  # Signals to the whole group are not for this: the claim is needed as long as the command cleans up.
  trap '' INT TERM HUP
  trap 'kill -KILL $ticker $attempt 2> /dev/null || true; exit 0' USR1
  trap : ALRM
  self=$(exec sh -c 'echo "$PPID"')
  tick=$(awk "BEGIN { print ($ttl < 20 ? $ttl / 20 : 1) }")
  # Its last sleep may outlive this by a moment, and must not keep the caller's output open.
  (while sleep "$tick" && kill -ALRM "$self"; do :; done) > /dev/null 2>&1 &
  ticker=$!
  next=$(awk "BEGIN { printf \"%.3f\", $alive + $ttl / 3 }")
  while :; do
    # Told to end before the trap was set, it was not told at all; but then the command is over.
    kill -0 "$command" 2> /dev/null || { kill -KILL "$ticker" 2> /dev/null; exit 0; }
    case $(awk "BEGIN { now = $(now); print (now - $alive >= $ttl * 0.9 ? \"late\" : now >= $next ? \"due\" : \"\") }")$attempt in
      late*) break ;;
      due)
        asked=$(now)
        # What hangs must not keep the caller's output open, either.
        (exec > /dev/null 2>&1; prolong) &
        attempt=$! ;;
      '') wait "$ticker" || true ;;
      *)
        code=0
        wait "$attempt" || code=$?
        # 142: a tick, and it is under way.
        [ "$code" != 142 ] || continue
        attempt=
        case $code in
          0) alive=$asked; next=$(awk "BEGIN { printf \"%.3f\", $alive + $ttl / 3 }") ;;
          2) break ;;
          # Again with the next tick.
          *) wait "$ticker" || true ;;
        esac ;;
    esac
  done
  trap '' USR1
  kill -KILL $ticker $attempt 2> /dev/null || true
  echo 'with-claim: the claim was lost' >&2
  kill -TERM "$command" 2> /dev/null
  exit 75
) &
keeper=$!

# A signal ends a wait, but not yet the command.
told=1
while [ -n "$told" ]; do
  told=
  result=0
  wait "$command" || result=$?
done
kill -USR1 "$keeper" 2> /dev/null || true
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
