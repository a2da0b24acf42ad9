# Sets up a machine where every AWS host name resolves to 127.0.0.1, with the files that Lambda's machines have, and runs
# a command. To be started by `unshare --net --mount --pid --fork --kill-child --mount-proc`.
# usage: namespace.sh <folder with certificate.pem and layers/> <python> <command> …
set -euo pipefail
work=$1
python=$2
shift 2

ip link set lo up

# Overlays, so that changes in /etc and /var stay inside.
mkdir -p "$work/over"
mount -t tmpfs tmpfs "$work/over"
for folder in etc var; do
  mkdir -p "$work/over/$folder" "$work/over/$folder.work"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$work/over/$folder,workdir=$work/over/$folder.work" "/$folder"
done
rm -f /etc/resolv.conf
echo 'nameserver 127.0.0.1' >/etc/resolv.conf
echo '127.0.0.1 localhost' >/etc/hosts
dnsmasq --no-resolv --no-hosts --address=/#/127.0.0.1 --listen-address=127.0.0.1 --bind-interfaces --pid-file= --user=root

# As on Amazon Linux 2023 and in Lambda: the CDK's function that fills buckets requires these.
mkdir -p /etc/pki/ca-trust/extracted/pem /var/lang/bin
cp "$work/certificate.pem" /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem
ln -s "$python" /var/lang/bin/python
mount --bind "$work/layers" /opt

exec "$@"
