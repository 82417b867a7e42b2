/** A typical pod of about 6 KB of JSON. */
export function createSamplePod(name: string): object {
  const env = Array.from({ length: 12 }, (_, i) => ({
    name: `SETTING_${i}`,
    value: `some value that is neither long nor short, number ${i}`,
  }));
  const mounts = ["config", "data", "tmp"].map((volume) => ({ name: volume, mountPath: `/var/lib/app/${volume}` }));
  const container = (container: string) => ({
    name: container,
    image: `registry.example.com/team/${container}:v1.24.7`,
    imagePullPolicy: "IfNotPresent",
    args: ["--listen=:8080", "--log-level=info", `--name=${container}`],
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env,
    resources: { limits: { cpu: "1", memory: "512Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    volumeMounts: mounts,
    readinessProbe: {
      httpGet: { path: "/readyz", port: "http", scheme: "HTTP" },
      periodSeconds: 10,
      failureThreshold: 3,
      successThreshold: 1,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  });
  const condition = (type: string) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" });
  const ownedFields = (path: string) => ({
    [path]: { ".": {}, "f:name": {}, "f:image": {}, "f:args": {}, "f:env": {}, "f:ports": {}, "f:resources": {} },
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: "web-5d4f8c7b9-",
      namespace: "default",
      uid: "0b3e7c4e-6f0f-4a53-9a51-1c3d5f3f9e01",
      resourceVersion: "123456",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "web", "pod-template-hash": "5d4f8c7b9", "app.kubernetes.io/part-of": "shop" },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5d4f8c7b9", uid: "5c2d", controller: true, blockOwnerDeletion: true },
      ],
      managedFields: [
        {
          manager: "kube-controller-manager",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": { "f:containers": { ...ownedFields('k:{"name":"web"}'), ...ownedFields('k:{"name":"sidecar"}') } } },
        },
      ],
    },
    spec: {
      containers: [container("web"), container("sidecar")],
      volumes: mounts.map(({ name: volume }) => ({ name: volume, emptyDir: {} })),
      nodeName: "node-1",
      restartPolicy: "Always",
      serviceAccountName: "web",
      terminationGracePeriodSeconds: 30,
      tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
    },
    status: {
      phase: "Running",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      hostIP: "10.0.0.4",
      podIP: "10.244.1.17",
      podIPs: [{ ip: "10.244.1.17" }],
      startTime: "2026-01-01T00:00:00Z",
      qosClass: "Burstable",
    },
  };
}
