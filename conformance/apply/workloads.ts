import type { Json, JsonObject } from "pintle/kinds";
import type { BuiltInKind } from "./built-in.ts";
import type { Random } from "./random.ts";

const WORDS = ["a", "b", "c"];
const randomWord = (random: Random) => random.pick(WORDS);
type Fields = { readonly [name: string]: () => Json };
const randomFields = (random: Random, fields: Fields, most?: number): JsonObject =>
  Object.fromEntries(random.some(Object.keys(fields), most).map((name) => [name, fields[name]!()]));
const map = (random: Random): JsonObject => Object.fromEntries(random.some(WORDS, 2).map((key) => [key, randomWord(random)]));
const list = <T>(random: Random, keys: readonly T[], item: (key: T) => Json, most?: number): Json => random.some(keys, most).map(item);

const metadata = (random: Random, name: string): JsonObject => ({
  name,
  namespace: "default",
  ...randomFields(random, {
    labels: () => map(random),
    annotations: () => map(random),
    finalizers: () => list(random, ["example.com/a", "example.com/b"], (finalizer) => finalizer),
    ownerReferences: () => list(random, ["1", "2"], (uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: randomWord(random), uid })),
  }),
});

const probe = (random: Random): Json => ({
  httpGet: { path: `/${randomWord(random)}`, port: random.pick<Json>([80, "http"]) },
  ...randomFields(random, { periodSeconds: () => 5, failureThreshold: () => 3 }),
});
const env = (name: string, random: Random): Json =>
  random.chance(0.7) ? { name, value: randomWord(random) } : { name, valueFrom: { fieldRef: { fieldPath: "metadata.name" } } };

function container(name: string, random: Random, image = random.pick(["one:1", "two:2"])): JsonObject {
  return {
    name,
    image,
    ...randomFields(
      random,
      {
        command: () => random.some(WORDS),
        args: () => random.some(WORDS),
        env: () => list(random, ["X", "Y", "Z"], (key) => env(key, random)),
        ports: () =>
          list(random, [9, 80, 443], (containerPort) => ({
            containerPort,
            ...randomFields(random, { protocol: () => "TCP", name: () => `p${containerPort}` }),
          })),
        resources: () =>
          randomFields(random, {
            requests: () =>
              randomFields(random, { cpu: () => random.pick(["0.5", "100m"]), memory: () => random.pick(["1024Mi", "64Mi"]) }),
          }),
        volumeMounts: () => list(random, ["/one", "/two"], (mountPath) => ({ name: "data", mountPath })),
        livenessProbe: () => probe(random),
        securityContext: () =>
          randomFields(random, {
            runAsUser: () => 1000,
            privileged: () => false,
            capabilities: () => ({ drop: random.some(["ALL", "NET_RAW"]) }),
          }),
        imagePullPolicy: () => random.pick(["Always", "IfNotPresent"]),
        workingDir: () => `/${randomWord(random)}`,
        envFrom: () => [{ configMapRef: { name: randomWord(random), optional: true } }],
      },
      4,
    ),
  };
}

function podSpec(random: Random, names: readonly string[]): JsonObject {
  return {
    containers: names.map((name) => container(name, random)),
    volumes: [
      { name: "data", emptyDir: {} },
      ...random.some<Json>([
        { name: "config", configMap: { name: randomWord(random) } },
        { name: "secret", secret: { secretName: randomWord(random) } },
      ]),
    ],
    ...randomFields(
      random,
      {
        initContainers: () => list(random, ["i", "j"], (name) => container(name, random)),
        nodeSelector: () => map(random),
        tolerations: () => [{ key: randomWord(random), operator: "Exists" }],
        terminationGracePeriodSeconds: () => random.int(60),
        imagePullSecrets: () => list(random, WORDS, (name) => ({ name })),
        hostAliases: () => list(random, ["10.0.0.1", "10.0.0.2"], (ip) => ({ ip, hostnames: random.some(WORDS) })),
        securityContext: () => randomFields(random, { runAsUser: () => 5, fsGroup: () => 6 }),
        topologySpreadConstraints: () =>
          list(random, ["zone", "host"], (topologyKey) => ({
            topologyKey,
            maxSkew: 1 + random.int(2),
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: map(random) },
          })),
        dnsConfig: () => ({ nameservers: ["10.0.0.3"], options: [{ name: randomWord(random), value: randomWord(random) }] }),
        affinity: () => ({
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1 + random.int(3), preference: { matchExpressions: [{ key: "a", operator: "Exists" }] } },
            ],
          },
        }),
      },
      4,
    ),
  };
}

function deploymentSpec(random: Random, names: readonly string[]): JsonObject {
  return {
    selector: { matchLabels: { app: "x" } },
    template: {
      metadata: { labels: { ...map(random), app: "x" }, ...randomFields(random, { annotations: () => map(random) }) },
      spec: podSpec(random, names),
    },
    ...randomFields(random, {
      replicas: () => random.int(3),
      minReadySeconds: () => random.int(3),
      paused: () => random.chance(0.5),
      revisionHistoryLimit: () => random.int(3),
      strategy: () =>
        random.chance(0.3)
          ? { type: "Recreate" }
          : {
              type: "RollingUpdate",
              ...randomFields(random, {
                rollingUpdate: () =>
                  randomFields(random, {
                    maxSurge: () => random.pick<Json>([1, "25%"]),
                    maxUnavailable: () => random.pick<Json>([1, "50%"]),
                  }),
              }),
            },
    }),
  };
}

const conditions = (random: Random): Json =>
  list(random, ["Available", "Progressing"], (type) => ({
    type,
    status: random.pick(["True", "False"]),
    lastTransitionTime: "2024-01-01T00:00:00Z",
    reason: randomWord(random),
  }));

export const deployments: BuiltInKind = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  statusResets: [["spec"], ["metadata", "labels"]],
  setAfterOwnership: [],
  object: (random, name) => ({ kind: "Deployment", metadata: metadata(random, name), spec: deploymentSpec(random, ["a", "b"]) }),
  config: (random, name, subresource) => ({
    kind: "Deployment",
    metadata: metadata(random, name),
    ...(subresource === "status"
      ? {
          status: randomFields(random, {
            replicas: () => random.int(3),
            observedGeneration: () => random.int(3),
            conditions: () => conditions(random),
          }),
        }
      : { spec: deploymentSpec(random, random.some(WORDS)) }),
  }),
};

const servicePort = (port: number, random: Random): Json => ({
  port,
  name: `p${port}`,
  ...randomFields(random, {
    protocol: () => "TCP",
    targetPort: () => random.pick<Json>([8080, "http"]),
    appProtocol: () => randomWord(random),
  }),
});
const serviceSpec = (random: Random): JsonObject => ({
  ports: [servicePort(80, random), ...random.some([443, 9]).map((port) => servicePort(port, random))],
  ...randomFields(random, {
    selector: () => map(random),
    trafficDistribution: () => random.pick(["PreferClose", "PreferSameNode"]),
    publishNotReadyAddresses: () => random.chance(0.5),
  }),
});

export const services: BuiltInKind = {
  group: "",
  version: "v1",
  kind: "Service",
  statusResets: [["spec"]],
  setAfterOwnership: ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"].map((name) => ["spec", name]),
  object: (random, name) => ({ kind: "Service", metadata: metadata(random, name), spec: serviceSpec(random) }),
  config: (random, name, subresource) => ({
    kind: "Service",
    metadata: metadata(random, name),
    ...(subresource === "status" ? { status: { loadBalancer: { ingress: [{ ip: "10.2.2.2" }] } } } : { spec: serviceSpec(random) }),
  }),
};

export const pods: BuiltInKind = {
  group: "",
  version: "v1",
  kind: "Pod",
  statusResets: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  setAfterOwnership: [],
  object: (random, name) => ({ kind: "Pod", metadata: metadata(random, name), spec: podSpec(random, ["a", "b"]) }),
  // Few fields of a pod are mutable.
  config: (random, name, subresource) => ({
    kind: "Pod",
    metadata: metadata(random, name),
    ...(subresource === "status"
      ? {
          status: randomFields(random, {
            phase: () => random.pick(["Pending", "Running"]),
            message: () => randomWord(random),
            conditions: () => list(random, ["Ready", "Initialized"], (type) => ({ type, status: "True" })),
          }),
        }
      : { spec: { containers: random.some(["a", "b"]).map((name) => ({ name, image: random.pick(["one:1", "two:2"]) })) } }),
  }),
};
