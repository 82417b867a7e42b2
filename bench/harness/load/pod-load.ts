import type { Client } from "pintle/client";
import { Pod } from "pintle/kinds/core/v1";
import { Worker } from "../../peers/pintle/worker.ts";
import { runConcurrently } from "./run-concurrently.ts";

const NAMESPACE = "default";
const CREATORS = 16;

/** Creates the pods (or the Workers with the same content) `from` to `count` - 1, each written by two field managers. */
export async function createObjects(client: Client, kindName: "pods" | "workers", from: number, count: number): Promise<void> {
  const kind = kindName === "pods" ? Pod : Worker;
  await runConcurrently(count - from, CREATORS, async (i) => {
    const name = `web-5d4f8c7b9-${(from + i).toString(36).padStart(5, "0")}`;
    await client.create(kind, { metadata: metadata(name), spec } as never, { fieldManager: "kube-controller-manager" });
    await client.status.patch(
      kind,
      { name, namespace: NAMESPACE } as never,
      { merge: { status: status(from + i) } },
      { fieldManager: "kubelet" },
    );
  });
}

/** The average size of an object in bytes of JSON. */
export async function measureJsonSize(client: Client, kindName: "pods" | "workers"): Promise<number> {
  const { items } = await client.list(kindName === "pods" ? Pod : Worker, { namespace: NAMESPACE, limit: 10 });
  return Buffer.byteLength(JSON.stringify(items)) / items.length;
}

const labels = {
  app: "web",
  "pod-template-hash": "5d4f8c7b9",
  "app.kubernetes.io/part-of": "shop",
  "app.kubernetes.io/managed-by": "bench",
};
const metadata = (name: string) => ({
  name,
  namespace: NAMESPACE,
  generateName: "web-5d4f8c7b9-",
  labels,
  annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080" },
  ownerReferences: [
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "web-5d4f8c7b9",
      uid: "5c2d9f04-34c1-4a3f-a1e4-0d6d4b7b9a11",
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

const env = Array.from({ length: 12 }, (_, i) => ({ name: `SETTING_${i}`, value: `value ${i}` }));
const probe = {
  httpGet: { path: "/readyz", port: "http", scheme: "HTTP" as const },
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
};
const container = (name: string, port: number) => ({
  name,
  image: `registry.example.com/team/${name}:v1.24.7`,
  imagePullPolicy: "IfNotPresent" as const,
  args: ["--listen=:8080", "--log-level=info"],
  ports: [{ name: "http", containerPort: port, protocol: "TCP" as const }],
  env,
  resources: { limits: { cpu: "1", memory: "512Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
  volumeMounts: [
    { name: "config", mountPath: "/etc/config" },
    { name: "data", mountPath: "/var/lib/data" },
  ],
  readinessProbe: probe,
  livenessProbe: probe,
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File" as const,
});
const spec = {
  containers: [container("web", 8080), container("sidecar", 9090)],
  volumes: [
    { name: "config", configMap: { name: "web", defaultMode: 420 } },
    { name: "data", emptyDir: {} },
  ],
  nodeName: "node-1",
  restartPolicy: "Always" as const,
  serviceAccountName: "default",
  terminationGracePeriodSeconds: 30,
  tolerations: [
    { key: "node.kubernetes.io/not-ready", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 300 },
    { key: "node.kubernetes.io/unreachable", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 300 },
  ],
};

const STARTED = "2026-01-01T00:00:00Z";
const status = (i: number) => ({
  phase: "Running",
  conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
    type,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: STARTED,
  })),
  hostIP: "10.0.0.4",
  podIP: `10.244.${(i >> 8) & 255}.${i & 255}`,
  podIPs: [{ ip: `10.244.${(i >> 8) & 255}.${i & 255}` }],
  startTime: STARTED,
  qosClass: "Burstable",
  containerStatuses: ["sidecar", "web"].map((name) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: `registry.example.com/team/${name}:v1.24.7`,
    imageID: `registry.example.com/team/${name}@sha256:3f1c2f7c0d5a4e5d8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f`,
    containerID: `containerd://7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f3f1c2f7c0d5a4e${i}`,
    state: { running: { startedAt: STARTED } },
  })),
});
