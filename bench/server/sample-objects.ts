/** An object to create; #### is replaced by a number. */
export interface SampleObject {
  readonly path: string;
  readonly object: object;
}

const namespace = "default";
const metadata = { name: "load-####", namespace, labels: { app: "load", part: "part-####" } };
const container = {
  name: "web",
  image: "registry.example.com/shop/web:v1.4.2",
  ports: [{ name: "http", containerPort: 8080 }],
  env: [
    { name: "LOG_LEVEL", value: "info" },
    { name: "SHARD", value: "####" },
  ],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
};

export const sampleObjects = {
  ConfigMap: {
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    object: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "app.conf": "level=info\nshard=####\n", motd: "hello" } },
  },
  "custom resource": {
    path: `/apis/bench.example.com/v1/namespaces/${namespace}/caches`,
    object: {
      apiVersion: "bench.example.com/v1",
      kind: "Cache",
      metadata,
      spec: { size: 3, image: "memcached:1.6", ports: [{ name: "data", port: 11211 }] },
    },
  },
  Deployment: {
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "load" } },
        template: { metadata: { labels: { app: "load" } }, spec: { containers: [container] } },
      },
    },
  },
  Pod: {
    path: `/api/v1/namespaces/${namespace}/pods`,
    object: { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [container] } },
  },
} as const satisfies Record<string, SampleObject>;

export type SampleName = keyof typeof sampleObjects;

export const CRD_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A CRD with common schema features: bounds, an enum, defaults, a list map and a CEL rule. */
export const sampleCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "caches.bench.example.com" },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { plural: "caches", singular: "cache", kind: "Cache", listKind: "CacheList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: createSpecSchema(), status: createStatusSchema() } } },
      },
    ],
  },
};

function createSpecSchema() {
  const port = {
    type: "object",
    required: ["name", "port"],
    properties: {
      name: { type: "string", maxLength: 63 },
      port: { type: "integer", minimum: 1, maximum: 65535 },
      protocol: { type: "string", enum: ["TCP", "UDP"], default: "TCP" },
    },
  };
  return {
    type: "object",
    required: ["size"],
    properties: {
      size: { type: "integer", minimum: 1, maximum: 9 },
      image: { type: "string", maxLength: 200 },
      policy: { type: "string", enum: ["Evict", "Refuse"], default: "Evict" },
      ports: { type: "array", maxItems: 8, items: port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    },
    "x-kubernetes-validations": [{ rule: "self.size < 9 || self.policy == 'Evict'", message: "a large cache must evict" }],
  };
}

function createStatusSchema() {
  return { type: "object", properties: { ready: { type: "integer" } } };
}
