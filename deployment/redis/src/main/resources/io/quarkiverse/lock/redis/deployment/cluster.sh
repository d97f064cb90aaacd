# A cluster of masters: cluster.sh ADDRESS PORT...
# Who ends is started again after five seconds, with its slots and without what it had kept.
address=$1
shift
trap 'exit 0' TERM

again() { while :; do "$@"; sleep 5; done; }
for port; do
  again redis-server --port "$port" --bind 0.0.0.0 --protected-mode no --save "" --appendonly no --dir /tmp \
    --dbfilename "$port.rdb" --cluster-enabled yes --cluster-config-file "$port.conf" --cluster-node-timeout 2000 \
    --cluster-announce-ip "$address" --cluster-announce-port "$port" --cluster-announce-bus-port "$((port + 10000))" &
  nodes="$nodes 127.0.0.1:$port"
done

for port; do
  until redis-cli -p "$port" ping 2>/dev/null | grep -q PONG; do sleep 0.2; done
done
redis-cli --cluster create $nodes --cluster-yes
for port; do
  until redis-cli -p "$port" cluster info | grep -q '^cluster_state:ok'; do sleep 0.2; done
done
echo "The servers are ready: nodes of a cluster at $address on $*"
wait
