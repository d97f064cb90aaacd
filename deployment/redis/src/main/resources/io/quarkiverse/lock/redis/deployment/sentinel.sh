# A master, a replica and three sentinels: sentinel.sh ADDRESS MASTER-PORT REPLICA-PORT SENTINEL-PORT...
# Who ends is started again after five seconds, a master too: by then the replica is the master, and the sentinels say so.
address=$1 master=$2 replica=$3
shift 3
trap 'exit 0' TERM

again() { while :; do "$@"; sleep 5; done; }
server() {
  port=$1; shift
  again redis-server --port "$port" --bind 0.0.0.0 --protected-mode no --save "" --appendonly no --dir /tmp \
    --dbfilename "$port.rdb" --replica-announce-ip "$address" --replica-announce-port "$port" "$@" &
}

server "$master"
server "$replica" --replicaof 127.0.0.1 "$master"
for port; do
  cat >"/tmp/$port.conf" <<END
port $port
bind 0.0.0.0
protected-mode no
dir /tmp
sentinel monitor mymaster $address $master 2
sentinel down-after-milliseconds mymaster 1000
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
