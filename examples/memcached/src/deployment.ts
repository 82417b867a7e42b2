import { Deployment } from "pintle/kinds/apps/v1";
import type { Memcached } from "./memcached.ts";

/** Whose pods they are: its value is the object's name, so two objects never share pods. */
export const LABEL = "cache.example.com/memcached";

const CONTAINER = "memcached";

export function deploymentFor({ metadata: { name }, spec: { size, image, port } }: Memcached) {
  const labels = { "app.kubernetes.io/name": "memcached", "app.kubernetes.io/instance": name, [LABEL]: name };
  const container = {
    name: CONTAINER,
    image,
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
          // The image's own user, by number: a name could be root's.
          securityContext: { runAsNonRoot: true, runAsUser: 11_211, seccompProfile: { type: "RuntimeDefault" } },
          containers: [container],
        },
      },
    },
  });
}

/**
 * What takes away ports that somebody else put beside ours: whoever applies a list of ports leaves alone what others have in it.
 * Undefined: there are none, or ours is not there yet.
 */
export function withoutStrangers({ spec: { port } }: Memcached, deployment: Deployment | undefined) {
  const containers = deployment?.spec.template.spec?.containers ?? [];
  const ports = containers.flatMap(({ name, ports = [] }) => (name === CONTAINER ? ports : []));
  const gone = ports
    .filter(({ containerPort }) => containerPort !== port)
    .map(({ containerPort }) => ({ containerPort, $patch: "delete" }));
  if (gone.length === 0 || gone.length === ports.length) return undefined;
  return { spec: { template: { spec: { containers: [{ name: CONTAINER, ports: gone }] } } } };
}
