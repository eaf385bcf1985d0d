#!/bin/sh
# Files of the lab's node: certificates, settings, and three images. That of the pods holds busybox and links into
# /usr, where pods mount the machine's own; one has py-spy; one has no program and names a user, as distroless
# images do, and its pods mount libraries only. usage: files.sh FOLDER PY_SPY
set -eu
folder="$1" py_spy="$2"
address=10.240.0.1
mkdir -p "$folder/pki" "$folder/log" "$folder/cni"
cd "$folder/pki"

elliptic='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
# shellcheck disable=SC2086
openssl req -x509 $elliptic -keyout ca.key -out ca.crt -days 30 -subj /CN=lab 2>/dev/null
# name, subject, names of the server
certify() {
  # shellcheck disable=SC2086
  openssl req $elliptic -keyout "$1.key" -out "$1.csr" -subj "$2" 2>/dev/null
  {
    echo 'extendedKeyUsage=serverAuth,clientAuth'
    if [ -n "${3:-}" ]; then echo "subjectAltName=$3"; fi
  } >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" \
    -extfile "$1.ext" 2>/dev/null
}
certify apiserver /CN=kube-apiserver "DNS:kubernetes.default.svc,IP:127.0.0.1,IP:$address,IP:10.96.0.1"
certify admin /O=system:masters/CN=admin
certify manager /CN=system:kube-controller-manager
certify scheduler /CN=system:kube-scheduler
certify node /O=system:nodes/CN=system:node:lab "DNS:lab,IP:$address"
certify proxy /CN=front-proxy
certify metrics /O=system:masters/CN=metrics-server DNS:metrics-server.kube-system.svc
openssl genrsa -out accounts.key 2048 2>/dev/null
openssl rsa -in accounts.key -pubout -out accounts.pub 2>/dev/null
for user in admin manager scheduler node metrics; do
  cat >"$user.yaml" <<END
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://$address:6443", certificate-authority: $folder/pki/ca.crt}}]
users: [{name: $user, user: {client-certificate: $folder/pki/$user.crt, client-key: $folder/pki/$user.key}}]
contexts: [{name: lab, context: {cluster: lab, user: $user}}]
current-context: lab
END
done

cd "$folder"
# Its score for the OOM killer and AppArmor: a machine's root in a container may set neither.
cat >containerd.toml <<END
version = 2
root = "$folder/containerd"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/loadflame/lab:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$folder/cni"
END
cat >cni/lab.conflist <<END
{"cniVersion": "0.4.0", "name": "lab", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": true,
  "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
cat >kubelet.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $folder/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $folder/pki/node.crt
tlsPrivateKeyFile: $folder/pki/node.key
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
podLogsDir: $folder/pod-logs
cgroupDriver: cgroupfs
cgroupRoot: /loadflame-lab
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false
localStorageCapacityIsolation: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 50Mi}
oomScoreAdj: 0
healthzPort: 0
END

mkdir -p root/usr root/proc root/dev root/sys root/etc root/tmp
cp "$(command -v busybox)" root/busybox
for name in bin sbin lib lib64; do ln -s "usr/$name" "root/$name"; done
tar --numeric-owner --owner=0 --group=0 -C root -cf layer.tar .
mkdir -p spy/usr/bin
cp "$py_spy" spy/usr/bin/py-spy
for name in sh cat tail sleep; do ln -s /busybox "spy/usr/bin/$name"; done
tar --numeric-owner --owner=0 --group=0 -C spy -cf spy.tar .
mkdir -p bare/usr bare/proc bare/dev bare/sys bare/etc bare/tmp
for name in lib lib64; do ln -s "usr/$name" "bare/$name"; done
tar --numeric-owner --owner=0 --group=0 -C bare -cf bare.tar .
# file, user, layers
describe() {
  file="$1" user="$2"
  shift 2
  sums="$(sha256sum "$@" | sed 's/\([0-9a-f]*\).*/"sha256:\1"/' | paste -sd,)"
  cat >"$file" <<END
{"architecture": "amd64", "os": "linux", "config": {"User": "$user", "Env": ["PATH=/usr/local/bin:/usr/bin"],
  "Entrypoint": ["/busybox", "sleep", "1000000"]},
  "rootfs": {"type": "layers", "diff_ids": [$sums]}}
END
}
describe config.json '' layer.tar
describe spy.json '' layer.tar spy.tar
describe bare.json 65534:65534 bare.tar
cat >manifest.json <<END
[{"Config": "config.json", "RepoTags": ["localhost/loadflame/lab:1"], "Layers": ["layer.tar"]},
 {"Config": "spy.json", "RepoTags": ["localhost/loadflame/py-spy:1"], "Layers": ["layer.tar", "spy.tar"]},
 {"Config": "bare.json", "RepoTags": ["localhost/loadflame/bare:1"], "Layers": ["bare.tar"]}]
END
tar -cf image.tar manifest.json config.json spy.json bare.json layer.tar spy.tar bare.tar
