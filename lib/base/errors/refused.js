/** The target, a cluster or the identity provider refused. */

/** Code → message and hint. @type {Record<string, [message: string, hint: string]>} */
export const REFUSED = {
  // -- tokens (lib/load/auth)
  OIDC_ENDPOINT_ELSEWHERE: [
    'the discovery document of {issuer} sends the login elsewhere: its {name} is {endpoint}',
    'if that host belongs to the identity provider, set OIDC_HOSTS={host}; a login never moves from https:// to http://',
  ],
  OIDC_DISCOVERY_FAILED: [
    'cannot use the identity provider {issuer}: {reason}',
    'open <OIDC_ISSUER>/.well-known/openid-configuration in a browser: it must show JSON (Keycloak: https://<host>/realms/<realm>)',
  ],
  OIDC_LOGIN_REFUSED: [
    'the identity provider {issuer} refused the login of {user}: {reason}',
    'check {where}. There was only one attempt, because wrong passwords lock accounts. Keycloak reports the same for a locked user, and for two logins at the same moment',
  ],
  OIDC_CLIENT_REFUSED: [
    'the identity provider {issuer} refused the client {clientId}: {reason}',
    'check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (a public client has none), and that the client is allowed to use the flow {flow}',
  ],
  OIDC_FLOW_UNSUPPORTED: [
    'the identity provider {issuer} does not support the flow {flow}: {reason}',
    'set OIDC_FLOW to another flow: password, client_credentials or authorization_code',
  ],
  OIDC_FORM_NOT_UNDERSTOOD: [
    'the login at {issuer} could not be completed: {reason}',
    'log in once in a browser as this user, complete what the provider asks for (consent, new password, second factor), or set OIDC_FLOW=password',
  ],
  OIDC_TOKEN_FAILED: [
    'the identity provider {issuer} issued no token for {user}: {reason}',
    'check that the identity provider is running, then run `loadflame doctor`',
  ],

  // -- before the load (lib/experiment/preflight)
  TARGET_UNREACHABLE: [
    '{url} does not respond ({reason})',
    'check that the API is running and that TARGET is right; in a clone, `npm run loadflame -- demo` starts one to try',
  ],
  TARGET_UNTRUSTED: [
    '{url} responds with a TLS certificate that is not trusted here ({reason})',
    'if it has expired or is for another host name, renew it or change TARGET. Otherwise name its CA with NODE_EXTRA_CA_CERTS=<file.pem>, or use the CAs of the system with NODE_OPTIONS=--use-system-ca. Workers in a cluster take env and volume from the file of --pod-file. --insecure accepts any certificate, even from an attacker who reads every token',
  ],
  TARGET_ANSWER_TOO_LONG: [
    '{url} responds with more than {most} MB, which are not read',
    'name an address with a smaller response: a check compares one value, and a description of an API has some MB at most',
  ],
  TARGET_REFUSED: [
    '{url} rejects the {credential} ({response})',
    'compare the issuer string on both sides (localhost is not 127.0.0.1), OIDC_AUDIENCE, the roles of the user, and the clocks. Without OIDC_ISSUER no token is sent',
  ],
  SCRIPT_FOREIGN: [
    '{target} has nothing that {script} requests first: status 404 for {list}',
    'is the script for another API? `loadflame init --url {target}` writes one to start from; if 404 is what you measure, say so with `expect: {statusCode: 404}`',
  ],
  CHECK_FAILED: ['{url} {problem}{purpose}', '{change}'],

  // -- pods of a cluster (lib/record/cluster)
  KUBE_UNREACHABLE: [
    'the API of the cluster at {server} cannot be reached: {reason}',
    'try `kubectl get pods` (or `oc get pods`) with the same kubeconfig: the network, a VPN, a proxy or the certificate may be the reason. If the login program of the kubeconfig needs a secret variable, name it with KUBE_LOGIN_ENV',
  ],
  KUBE_LOGIN_REFUSED: [
    'the cluster at {server} refused the login of the context {context}: its token may have expired',
    'log in again (`oc login`, or what your cluster has)',
  ],
  KUBE_FORBIDDEN: [
    'this login may not {verb} {resource} in the namespace {namespace}',
    'ask for the verb {verb} on {resource} there (docs/openshift.md has the smallest Role), or correct KUBE_NAMESPACE',
  ],
  KUBE_NOT_THERE: [
    'the namespace {namespace} has no {resource} named {name}',
    'look at `kubectl get {resource} -n {namespace}`, and correct KUBE_WORKLOAD or KUBE_NAMESPACE',
  ],
  KUBE_API_MISSING: [
    'the cluster does not know {resource}',
    'only OpenShift has routes and deploymentconfigs: elsewhere ask for ingresses, and name a deployment. For CPU and memory of pods (pods.metrics.k8s.io) ask for metrics-server',
  ],
  KUBE_NAMESPACE_UNKNOWN: [
    'the cluster has no namespace {namespace}',
    'set KUBE_NAMESPACE to the project that the API runs in, or KUBE_CONTEXT to another cluster',
  ],
  KUBE_NO_PODS: [
    'no pod in the namespace {namespace} has the labels {selector}',
    'compare with `kubectl get pods -n {namespace} --show-labels`, and correct KUBE_SELECTOR, KUBE_WORKLOAD or KUBE_NAMESPACE',
  ],
  KUBE_REQUEST_FAILED: [
    'the cluster rejected {verb} {resource} in the namespace {namespace}: status {status}: {reason}',
    'try again later; if that does not help, ask an administrator of the cluster',
  ],
  POD_CONTAINER_REFUSED: [
    'the rules of the namespace do not allow adding a container to the pod: {reason}',
    'ask an administrator of the cluster what the namespace allows. py-spy in the image of the API needs no other container (docs/openshift.md)',
  ],
  POD_CONTAINER_FAILED: [
    'the container of {image} that was added to the pod {pod} does not run: {reason}',
    'correct KUBE_PROFILE_IMAGE: an image with py-spy, a shell, `cat`, `tail` and `sleep` that the nodes may fetch',
  ],
  KUBE_PODS_REFUSED: [
    'the cluster refused to start the workers: {reason}',
    'take fewer workers, or smaller ones (--workers, --cpu, --memory), or ask for a larger quota; add other required fields of a pod with --pod-file',
  ],
  KUBE_IMAGE: [
    'the cluster cannot start the image {image}: {reason}',
    'correct --image (KUBE_IMAGE), which is built from the Containerfile (docs/openshift.md); a registry with a login needs imagePullSecrets in the file of --pod-file',
  ],
  KUBE_NO_WORKERS: [
    'no worker was ready within {seconds} s: {reason}',
    'take fewer workers, or smaller ones (--workers, --cpu, --memory). Correct nodeSelector and tolerations in the file of --pod-file. Check that the image is the one of the Containerfile (docs/openshift.md). --wait gives them longer',
  ],
  KUBE_WORKER_FAILED: [
    'worker {worker} cannot send the load: {reason} ({code})',
    'correct that, and run it again',
  ],

  // -- trying a change (lib/experiment/try)
  TRY_FAILURES: ['{share} of the requests to {label} fail: {kinds}', 'see {folder}/report.html'],
};
