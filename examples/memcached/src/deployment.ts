import { Deployment } from "pintle/kinds/apps/v1";
import { PodDisruptionBudget } from "pintle/kinds/policy/v1";
import type { Memcached } from "./memcached.ts";

/** Label with the object's name, so that two objects never select the same pods. */
export const LABEL = "cache.example.com/memcached";

const CONTAINER = "memcached";

export function deploymentFor({ metadata: { name }, spec: { size, image, port } }: Memcached) {
  const labels = { "app.kubernetes.io/name": "memcached", "app.kubernetes.io/instance": name, [LABEL]: name };
  const container = {
    name: CONTAINER,
    image,
    // Written down, because the API server's default depends on the first image and stays when the image changes.
    imagePullPolicy: "IfNotPresent" as const,
    args: [`--port=${port}`, "--memory-limit=64", "--extended=modern"],
    ports: [{ containerPort: port }],
    readinessProbe: { tcpSocket: { port }, periodSeconds: 2 },
    livenessProbe: { tcpSocket: { port }, initialDelaySeconds: 10 },
    resources: { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "128Mi" } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  };
  return Deployment.desired({
    metadata: { name, labels },
    spec: {
      replicas: size,
      selector: { matchLabels: { [LABEL]: name } },
      template: {
        metadata: { labels },
        spec: {
          // The user ID of the image; runAsNonRoot requires a number.
          securityContext: { runAsNonRoot: true, runAsUser: 11_211, seccompProfile: { type: "RuntimeDefault" } },
          containers: [container],
        },
      },
    },
  });
}

/**
 * Returns a patch that removes ports added by other field managers, which server-side apply would keep in the list. Undefined if there are
 * none, or the desired port is not yet present.
 */
export function foreignPortsPatch({ spec: { port } }: Memcached, deployment: Deployment | undefined) {
  const containers = deployment?.spec.template.spec?.containers ?? [];
  const ports = containers.flatMap(({ name, ports = [] }) => (name === CONTAINER ? ports : []));
  const foreign = ports
    .filter(({ containerPort }) => containerPort !== port)
    .map(({ containerPort }) => ({ containerPort, $patch: "delete" }));
  if (foreign.length === 0 || foreign.length === ports.length) return undefined;
  return { spec: { template: { spec: { containers: [{ name: CONTAINER, ports: foreign }] } } } };
}

/** Limits evictions to one server at a time, so that a node drain does not empty the whole cache. */
export function disruptionBudgetFor({ metadata: { name } }: Memcached) {
  return PodDisruptionBudget.desired({ metadata: { name }, spec: { maxUnavailable: 1, selector: { matchLabels: { [LABEL]: name } } } });
}
