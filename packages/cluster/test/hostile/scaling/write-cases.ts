/** An object of a kind that has as many items of something as a client likes. */
export interface WriteCase {
  /** What the object has many of. */
  readonly name: string;
  readonly path: string;
  build(count: number): object;
  readonly maxSize: number;
}

const MAX_SIZE = 8000;
const list = (count: number, item: (n: number) => unknown) => Array.from({ length: count }, (_, n) => item(n));
const map = (count: number, value: unknown, prefix = "k") =>
  Object.fromEntries(list(count, (n) => [`${prefix}${n}`, value]) as [string, unknown][]);
const metadata = { name: "a" };

const configMap = (name: string, build: (count: number) => object): WriteCase => ({
  name,
  path: "/api/v1/namespaces/default/configmaps",
  build,
  maxSize: MAX_SIZE,
});
const withMetadata = (name: string, more: (count: number) => object) =>
  configMap(name, (count) => ({ metadata: { ...metadata, ...more(count) } }));
const pod = (name: string, container: (count: number) => object, spec: (count: number) => object = () => ({})): WriteCase => ({
  name,
  path: "/api/v1/namespaces/default/pods",
  build: (count) => ({ metadata, spec: { containers: [{ name: "a", image: "b", ...container(count) }], ...spec(count) } }),
  maxSize: MAX_SIZE,
});
const podSpec = (name: string, spec: (count: number) => object) => pod(name, () => ({}), spec);

const owner = (n: number) => ({ apiVersion: "v1", kind: "Pod", name: `p${n}`, uid: `u${n}` });
const manager = (operation: string) => (n: number) => ({
  manager: `m${n}`,
  operation,
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { [`f:k${n}`]: {} } },
});

/** Writes whose lists and maps a client can make long. */
export const writeCases: readonly WriteCase[] = [
  configMap("unknown fields", (count) => ({ metadata, ...map(count, 1) })),
  configMap("keys", (count) => ({ metadata, data: map(count, "") })),
  configMap("invalid keys", (count) => ({ metadata, data: map(count, "", "k ") })),
  withMetadata("labels", (count) => ({ labels: map(count, "v") })),
  withMetadata("invalid labels", (count) => ({ labels: map(count, "v v", "k /") })),
  withMetadata("finalizers", (count) => ({ finalizers: list(count, (n) => `a.b/c${n}`) })),
  withMetadata("owner references", (count) => ({ ownerReferences: list(count, owner) })),
  withMetadata("controllers", (count) => ({
    ownerReferences: list(count, (n) => ({ ...owner(n), controller: true, blockOwnerDeletion: true })),
  })),
  withMetadata("updating managers", (count) => ({ managedFields: list(count, manager("Update")) })),
  withMetadata("applying managers", (count) => ({ managedFields: list(count, manager("Apply")) })),
  podSpec("containers", (count) => ({ containers: list(count, (n) => ({ name: `c${n}`, image: "x" })) })),
  podSpec("containers of one name", (count) => ({ containers: list(count, () => ({ name: "c", image: "x" })) })),
  podSpec("tolerations", (count) => ({ tolerations: list(count, (n) => ({ key: `k${n}`, operator: "Exists" })) })),
  podSpec("scheduling gates", (count) => ({ schedulingGates: list(count, (n) => ({ name: `a.b/g${n}` })) })),
  pod("variables", (count) => ({ env: list(count, (n) => ({ name: `E${n}`, value: "x" })) })),
  pod("ports", (count) => ({ ports: list(count, (n) => ({ name: `p${n}`, containerPort: 1 + n })) })),
  pod("resources", (count) => ({ resources: { requests: map(count, "1", "a.b/r"), limits: map(count, "1", "a.b/r") } })),
  pod(
    "volumes",
    (count) => ({ volumeMounts: list(count, (n) => ({ name: `v${n}`, mountPath: `/m${n}` })) }),
    (count) => ({ volumes: list(count, (n) => ({ name: `v${n}`, emptyDir: {} })) }),
  ),
  {
    name: "ports of a Service",
    path: "/api/v1/namespaces/default/services",
    build: (count) => ({ metadata, spec: { ports: list(count, (n) => ({ name: `p${n}`, port: 1 + n })) } }),
    maxSize: MAX_SIZE,
  },
  {
    name: "subsets of Endpoints",
    path: "/api/v1/namespaces/default/endpoints",
    build: (count) => ({ metadata, subsets: list(count, (n) => ({ addresses: [{ ip: `1.2.3.${n % 256}` }], ports: [{ port: 1 + n }] })) }),
    maxSize: MAX_SIZE,
  },
  {
    name: "rules of a role",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    build: (count) => ({ metadata, rules: list(count, (n) => ({ apiGroups: [""], resources: [`r${n}`], verbs: ["get"] })) }),
    maxSize: MAX_SIZE,
  },
  {
    name: "properties of a custom resource",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    build: (count) => ({
      metadata: { name: "as.b.c" },
      spec: {
        group: "b.c",
        scope: "Namespaced",
        names: { plural: "as", kind: "A" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: map(count, { type: "string" }) } },
          },
        ],
      },
    }),
    maxSize: MAX_SIZE,
  },
];
