import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { CONFIG_OPTIONS, validateConfig } from "./validate-config.ts";

test.each<[Record<string, unknown>, string]>([
  [{ replica: 2 }, "replica: unknown option; the options are domain, name, "],
  [{ toString: "x" }, "toString: unknown option; "],
  [{ domain: "Example.com" }, "domain: must be lower-case letters, digits, dashes and dots"],
  [{ name: "Shop" }, "name: must be at most 63 lower-case letters, digits and dashes"],
  [{ entry: "" }, "entry: must be a string that is not empty"],
  [{ namespace: "a.b" }, "namespace: must be at most 63 lower-case letters, digits and dashes"],
  [{ image: 1 }, "image: must be a string that is not empty"],
  [{ imagePullSecrets: "registry" }, "imagePullSecrets: must be a list of names of Secrets"],
  [{ imagePullSecrets: [{ name: "registry" }] }, "imagePullSecrets[0]: must be lower-case letters, "],
  [{ namespaces: "some" }, 'namespaces: must be "all", "own" or a list of namespaces'],
  [{ namespaces: ["a", "B"] }, "namespaces[1]: must be at most 63 lower-case letters, digits and dashes"],
  [{ replicas: 1.5 }, "replicas: must be an integer of at least 0"],
  [{ resources: { cpu: "1" } }, "resources.cpu: unknown field; the fields are requests, limits"],
  [{ resources: { limits: { memory: "128 MB" } } }, 'resources.limits.memory: must be a quantity such as "100m" or "128Mi"'],
  [{ env: [] }, "env: must be an object"],
  [{ env: { "1A": "x" } }, 'env: "1A" is not a name of an environment variable'],
  [{ env: { URL: { secret: "db" } } }, "env.URL: must be a string, { secret, key }, { configMap, key } or { field }"],
  [{ env: { DEBUG: true } }, "env.DEBUG: must be a string, "],
  [{ envFrom: [{}] }, "envFrom[0]: set one of secret, configMap"],
  [{ envFrom: [{ secret: "a", prefx: "A_" }] }, "envFrom[0].prefx: unknown field; the fields are secret, configMap, prefix, optional"],
  [{ args: "--verbose" }, "args: must be a list of strings"],
  [{ args: [1] }, "args[0]: must be a string"],
  [{ volumes: { Data: { secret: "s", mountPath: "/x" } } }, 'volumes: "Data" must be lower-case letters, digits and dashes'],
  [{ volumes: { a: { mountPath: "/x" } } }, "volumes.a: set one of secret, configMap, persistentVolumeClaim, emptyDir, source"],
  [{ volumes: { a: { secret: "s", mountPath: "data" } } }, "volumes.a.mountPath: must be an absolute path"],
  [{ volumes: { a: { secret: "s", mountPath: "/x", readonly: true } } }, "volumes.a.readonly: unknown field; the fields are secret, "],
  [
    { volumes: { a: { secret: "s", mountPath: "/x" }, b: { configMap: "c", mountPath: "/x" } } },
    "volumes.b.mountPath: another volume is mounted at /x",
  ],
  [{ probes: { live: {} } }, "probes.live: unknown field; the fields are liveness, readiness, startup"],
  [{ probes: { startup: { periodSeconds: 0 } } }, "probes.startup.periodSeconds: must be an integer of at least 1"],
  [{ nodeSelector: { gpu: true } }, "nodeSelector.gpu: must be a string"],
  [{ tolerations: { key: "a" } }, "tolerations: must be a list"],
  [{ affinity: [] }, "affinity: must be an object"],
  [{ priorityClassName: "" }, "priorityClassName: must be lower-case letters, "],
  [{ topologySpread: true }, 'topologySpread: must be "default", false or a list of constraints'],
  [{ podDisruptionBudget: 1 }, "podDisruptionBudget: must be true, false, { minAvailable } or { maxUnavailable }"],
  [{ podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } }, "podDisruptionBudget: set one of minAvailable, maxUnavailable"],
  [{ podDisruptionBudget: { minAvailable: "half" } }, "podDisruptionBudget.minAvailable: must be an integer of at least 0 or a percentage"],
  [{ prometheus: "yes" }, "prometheus: must be true or false"],
  [{ networkPolicy: "none" }, "networkPolicy: must be true, false or { egress }"],
  [{ networkPolicy: { egress: "none" } }, 'networkPolicy.egress: must be "all" or a list of rules'],
  [{ aggregateUserRoles: 1 }, "aggregateUserRoles: must be true or false"],
  [{ webhookCertificates: "certmanager" }, 'webhookCertificates: must be "pintle", "cert-manager" or { secret }'],
  [{ webhookCertificates: {} }, "webhookCertificates: set one of secret"],
  [{ overlay: {} }, "overlay: must be a function"],
])("refuses %j: %s", (config, problem) => {
  expect(() => validateConfig(config as Config)).toThrow(`pintle.config.ts is not valid:\n  ${problem}`);
});

test("names every problem of a configuration", () => {
  const config = { replica: 2, replicas: -1, overlay: 1 } as unknown as Config;
  expect(() => validateConfig(config)).toThrow(/:\n {2}replica: unknown.*\n {2}replicas: must.*\n {2}overlay: must be a function$/);
});

test("accepts every form of every option", () => {
  validateConfig({
    domain: "shop.example.com",
    name: "shop",
    entry: "src/operator.ts",
    namespace: "shop",
    image: "ghcr.io/acme/shop:1.2.0",
    imagePullSecrets: ["registry.example"],
    namespaces: ["shop", "shop-test"],
    replicas: 2,
    resources: { requests: { cpu: "0.5", memory: "128Mi" }, limits: { memory: "1G" } },
    env: { A: "", B: { secret: "s", key: "k", optional: true }, C: { configMap: "c", key: "k" }, D: { field: "status.podIP" } },
    envFrom: [{ secret: "s" }, { configMap: "c", prefix: "C_", optional: true }],
    args: ["--zone=eu", ""],
    volumes: {
      a: { secret: "s", mountPath: "/a" },
      b: { emptyDir: {}, mountPath: "/b", subPath: "x", readOnly: false },
      c: { source: { projected: { sources: [] } }, mountPath: "/c" },
    },
    probes: { liveness: { initialDelaySeconds: 0 }, startup: { periodSeconds: 5, failureThreshold: 60 }, readiness: undefined },
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [{ key: "dedicated", operator: "Exists" }],
    affinity: {},
    priorityClassName: "system-cluster-critical",
    topologySpread: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
    podDisruptionBudget: { maxUnavailable: "50%" },
    prometheus: true,
    networkPolicy: { egress: [{ ports: [{ port: 5432 }] }] },
    aggregateUserRoles: false,
    webhookCertificates: { secret: "tls" },
    overlay: (each) => each,
  } satisfies Config);
  validateConfig({
    namespaces: "own",
    topologySpread: false,
    podDisruptionBudget: false,
    networkPolicy: { egress: "all" },
    name: undefined,
  });
});

test("docs/configuration.md describes exactly the options of the type", () => {
  const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/configuration.md"), "utf8");
  const described = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(described.sort()).toEqual([...CONFIG_OPTIONS].sort());
});
