# A master, a replica and three sentinels: sentinel.sh ADDRESS MASTER-PORT REPLICA-PORT SENTINEL-PORT...
# Both servers are given what is in $SERVER_OPTIONS as well. Who ends is started again after five seconds.
address=$1 master=$2 replica=$3
shift 3
sentinels=$*
trap 'exit 0' TERM

again() { while :; do "$@"; sleep 5; done; }
is_master() {
  for sentinel in $sentinels; do
    redis-cli -p "$sentinel" sentinel get-master-addr-by-name mymaster 2>/dev/null | grep -q "^$1\$" && return
  done
  return 1
}
answers() { [ "$(redis-cli -p "$1" ping 2>/dev/null)" = PONG ]; }
server() { # server PORT OTHER-PORT OPTION...
  port=$1 other=$2
  shift 2
  while :; do
    # shellcheck disable=SC2086 # several words
    redis-server --port "$port" --bind 0.0.0.0 --protected-mode no --save "" --appendonly no --dir /tmp \
      --dbfilename "$port.rdb" --repl-diskless-sync-delay 0 --replica-announce-ip "$address" --replica-announce-port "$port" $SERVER_OPTIONS "$@"
    sleep 5
    # It comes back empty. As long as sentinels take it for the master, the other one would throw away what it has
    while is_master "$port" && answers "$other"; do sleep 0.2; done
    if answers "$other"; then set -- --replicaof 127.0.0.1 "$other"; else set --; fi
  done &
}

server "$master" "$replica"
server "$replica" "$master" --replicaof 127.0.0.1 "$master"
# Down after more than the second between two pings, otherwise a busy machine makes a new master look dead
for port; do
  cat >"/tmp/$port.conf" <<END
port $port
bind 0.0.0.0
protected-mode no
dir /tmp
sentinel monitor mymaster $address $master 2
sentinel down-after-milliseconds mymaster 2000
sentinel failover-timeout mymaster 5000
sentinel announce-ip $address
sentinel announce-port $port
END
  again redis-server "/tmp/$port.conf" --sentinel &
done

for port; do
  until redis-cli -p "$port" sentinel ckquorum mymaster 2>/dev/null | grep -q '^OK 3 ' &&
    redis-cli -p "$port" sentinel replicas mymaster | grep -q "^$replica\$"; do sleep 0.2; done
done
echo "The servers are ready: master $address:$master, replica $address:$replica, sentinels on $*"
wait
