#!/bin/sh
# The one node of the lab, as the first process of namespaces of its own (start-lab.js): with it go its
# processes, mounts and network. usage: node.sh FOLDER KUBERNETES
set -eu
folder="$1" kubernetes="$2"
address=10.240.0.1
pki="$folder/pki"
group=loadflame-lab
cd "$folder"

# Kept from the machine: what runtimes write outside of folders that they are given.
mount --make-rshared /
for place in /var/lib/kubelet /var/lib/cni /run/containerd /opt/containerd /var/log/containers; do
  mkdir -p "$place"
  mount -t tmpfs tmpfs "$place"
done
for hierarchy in /sys/fs/cgroup/*/; do mkdir -p "$hierarchy/$group" 2>/dev/null || true; done

# start-lab.js puts it there.
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip link set lo up
ip address add "$address/24" dev eth0
ip link set eth0 up
ip route add default via 10.240.0.254
echo 1 >/proc/sys/net/ipv4/ip_forward

start() {
  name="$1"
  shift
  "$@" >"log/$name.log" 2>&1 &
}

start containerd containerd --config containerd.toml
start etcd etcd --data-dir etcd --unsafe-no-fsync --listen-peer-urls http://127.0.0.1:2380 \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379
# OpenShift has that admission plugin on: it asks for rights to let objects belong to others.
start apiserver "$kubernetes" kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$address" \
  --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
  --service-account-key-file="$pki/accounts.pub" --service-account-signing-key-file="$pki/accounts.key" \
  --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=10.96.0.0/16 \
  --authorization-mode=Node,RBAC --enable-admission-plugins=OwnerReferencesPermissionEnforcement \
  --allow-privileged=true --service-account-extend-token-expiration=false \
  --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" \
  --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
  --requestheader-client-ca-file="$pki/ca.crt" --requestheader-allowed-names=front-proxy \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --requestheader-extra-headers-prefix=X-Remote-Extra- --proxy-client-cert-file="$pki/proxy.crt" \
  --proxy-client-key-file="$pki/proxy.key" --enable-aggregator-routing=true
start manager "$kubernetes" kube-controller-manager --kubeconfig="$pki/manager.yaml" --leader-elect=false \
  --service-account-private-key-file="$pki/accounts.key" --root-ca-file="$pki/ca.crt" \
  --use-service-account-credentials=true --horizontal-pod-autoscaler-sync-period=5s --bind-address=127.0.0.1
start scheduler "$kubernetes" kube-scheduler --kubeconfig="$pki/scheduler.yaml" --leader-elect=false \
  --bind-address=127.0.0.1

until ctr version >/dev/null 2>&1; do sleep 0.1; done
ctr --namespace k8s.io images import image.tar
start kubelet "$kubernetes" kubelet --config=kubelet.yaml --kubeconfig="$pki/node.yaml" --hostname-override=lab \
  --node-ip="$address" --root-dir="$folder/kubelet" --cert-dir="$folder/kubelet-pki"
start metrics "$kubernetes" metrics-server --kubeconfig="$pki/metrics.yaml" \
  --authentication-kubeconfig="$pki/metrics.yaml" --authorization-kubeconfig="$pki/metrics.yaml" \
  --tls-cert-file="$pki/metrics.crt" --tls-private-key-file="$pki/metrics.key" \
  --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP --secure-port=4443 \
  --kubelet-use-node-status-port --metric-resolution=10s --kubelet-request-timeout=5s
wait
