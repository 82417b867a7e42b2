/** Returns a pod as a server of a busy cluster stores it, about 10.6 KB of JSON, more than half of it managedFields. */
export function storedPod(i: number, metadataOnly: boolean): object {
  const metadata = {
    name: `web-5d4f8c7b9-${i}`,
    namespace: `team-${i % 50}`,
    uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
    resourceVersion: String(i + 1),
    creationTimestamp: "2026-01-01T00:00:00Z",
    generateName: "web-5d4f8c7b9-",
    labels: { app: "web", "pod-template-hash": "5d4f8c7b9", "app.kubernetes.io/part-of": "shop", instance: String(i) },
    annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080", "checksum/config": CHECKSUM },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5d4f8c7b9", uid: "5c2d9f04-34c1-4a3f-a1e4-0d6d4b7b9a11", controller: true },
    ],
    managedFields: [
      managedFieldsEntry("kube-controller-manager", {
        "f:metadata": ownedMetadata,
        "f:spec": { "f:containers": ownedContainers, ...ownedSpec },
      }),
      managedFieldsEntry("kubelet", {
        "f:status": { "f:conditions": ownedConditions, "f:containerStatuses": {}, "f:podIP": {}, "f:phase": {} },
      }),
    ],
  };
  if (metadataOnly) return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata,
    spec: { containers: NAMES.map(container), nodeName: `node-${i % 100}`, restartPolicy: "Always", tolerations, volumes },
    status: {
      phase: "Running",
      podIP: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`,
      conditions: CONDITIONS.map(condition),
      containerStatuses: NAMES.map((name) => ({ name, ready: true, restartCount: i % 3, image: image(name), imageID: image(name), state })),
    },
  };
}

const NAMES = ["web", "sidecar"];
const CHECKSUM = "4f8c".repeat(16);
const CONDITIONS = ["Initialized", "Ready", "ContainersReady", "PodScheduled"];
const SETTINGS = Array.from({ length: 12 }, (_, i) => `SETTING_${i}`);
const VOLUMES = ["config", "data", "token"];
const image = (name: string) => `registry.example.com/team/${name}:v1.24.7@sha256:${CHECKSUM}`;
const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const condition = (type: string) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" });
const tolerations = ["not-ready", "unreachable"].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));
const volumes = VOLUMES.map((name) => ({ name, configMap: { name, defaultMode: 420 } }));
const probe = { httpGet: { path: "/readyz", port: "http", scheme: "HTTP" }, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };
const container = (name: string) => ({
  name,
  image: image(name),
  imagePullPolicy: "IfNotPresent",
  args: ["--listen=:8080", "--log-level=info"],
  ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
  env: SETTINGS.map((setting) => ({ name: setting, value: `the value of ${setting}` })),
  resources: { limits: { cpu: "1", memory: "512Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
  volumeMounts: VOLUMES.map((volume) => ({ name: volume, mountPath: `/var/lib/${volume}` })),
  readinessProbe: probe,
  livenessProbe: probe,
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
});
const managedFieldsEntry = (manager: string, fieldsV1: object) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
});
/** managedFields in their stored form: every key of every item, and every field of it. */
const keyedFields = (key: string, values: readonly string[], fields: object) =>
  Object.fromEntries(values.map((value) => [`k:{"${key}":"${value}"}`, { ".": {}, [`f:${key}`]: {}, ...fields }]));
const ownedProbe = {
  ".": {},
  "f:failureThreshold": {},
  "f:httpGet": { ".": {}, "f:path": {}, "f:port": {}, "f:scheme": {} },
  "f:periodSeconds": {},
};
const ownedContainers = keyedFields("name", NAMES, {
  "f:args": {},
  "f:env": { ".": {}, ...keyedFields("name", SETTINGS, { "f:value": {} }) },
  "f:image": {},
  "f:imagePullPolicy": {},
  "f:livenessProbe": ownedProbe,
  "f:ports": { ".": {}, 'k:{"containerPort":8080,"protocol":"TCP"}': { ".": {}, "f:containerPort": {}, "f:name": {}, "f:protocol": {} } },
  "f:readinessProbe": ownedProbe,
  "f:resources": { ".": {}, "f:limits": { ".": {}, "f:cpu": {}, "f:memory": {} }, "f:requests": { ".": {}, "f:cpu": {}, "f:memory": {} } },
  "f:terminationMessagePath": {},
  "f:terminationMessagePolicy": {},
  "f:volumeMounts": { ".": {}, ...keyedFields("mountPath", VOLUMES, { "f:name": {} }) },
});
const ownedMetadata = {
  "f:annotations": { ".": {}, "f:prometheus.io/port": {}, "f:prometheus.io/scrape": {} },
  "f:generateName": {},
  "f:labels": {},
};
const ownedSpec = {
  "f:dnsPolicy": {},
  "f:enableServiceLinks": {},
  "f:restartPolicy": {},
  "f:schedulerName": {},
  "f:securityContext": { ".": {}, "f:fsGroup": {}, "f:runAsNonRoot": {}, "f:runAsUser": {}, "f:seccompProfile": { ".": {}, "f:type": {} } },
  "f:serviceAccount": {},
  "f:serviceAccountName": {},
  "f:terminationGracePeriodSeconds": {},
  "f:tolerations": {},
  "f:topologySpreadConstraints": {
    ".": {},
    ...keyedFields("topologyKey", ["kubernetes.io/hostname", "topology.kubernetes.io/zone"], {
      "f:labelSelector": {},
      "f:maxSkew": {},
      "f:whenUnsatisfiable": {},
    }),
  },
  "f:volumes": { ".": {}, ...keyedFields("name", VOLUMES, { "f:configMap": { ".": {}, "f:defaultMode": {}, "f:name": {} } }) },
};
const ownedConditions = keyedFields("type", CONDITIONS, { "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {} });
