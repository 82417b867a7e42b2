import { controller, defineResource, webhook, z } from "pintle";
import type { JsonObject } from "pintle/kinds";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { buildServiceEndpoint, type Config, operatorFromOptions, type Project, withConversionEndpoint } from "../project/index.ts";
import { buildManifests, type ManifestContext, renderConfigLayout, renderDeployLayout } from "./index.ts";

const Store = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Store",
  spec: z.object({ replicas: z.int32().default(1) }),
  status: z.object({ seen: z.int32() }),
});
const store = controller(Store, { owns: [ConfigMap], reconcile: ({ want }) => want({ children: {}, status: { seen: 1 } }) });
const Extra = defineResource({ group: "shop.example.com", version: "v1", kind: "Extra", scope: "Cluster", spec: z.object({}) });

function context(config: Config = {}) {
  const project: Project = {
    root: "/shop",
    name: "shop",
    version: "1.0.0",
    entry: "src/main.ts",
    namespace: config.namespace ?? "shop-system",
    image: "shop:1.0.0",
    config,
  };
  return { project, operator: operatorFromOptions({ controllers: [store], resources: [Extra] }) };
}
const objects = (config?: Config) => buildManifests(context(config)).map(({ object }) => object as JsonObject & { metadata: JsonObject });
const objectsOfKind = (kind: string, config?: Config) => objects(config).filter((object) => object["kind"] === kind);

test("config.namespaces sets both WATCH_NAMESPACE and the scope of the roles", () => {
  expect(objectsOfKind("ClusterRole").map(({ metadata }) => metadata["name"])).toContain("shop-manager-role");
  const config = { namespaces: ["b", "a", "b"], namespace: "ops" };
  const roles = objectsOfKind("Role", config).filter(({ metadata }) => metadata["name"] === "shop-manager-role");
  expect(roles.map(({ metadata }) => metadata["namespace"])).toEqual(["a", "b"]);
  expect(objectsOfKind("ClusterRole", config).map(({ metadata }) => metadata["name"])).not.toContain("shop-manager-role");
  expect(renderConfigLayout(context(config)).get("config/manager/manager.yaml")).toContain("name: WATCH_NAMESPACE\n          value: a,b\n");
  expect(renderConfigLayout(context({ namespaces: "own" })).get("config/manager/manager.yaml")).toContain("value: shop-system\n");
});

test("binds only existing roles, and only to the operator's ServiceAccount", () => {
  const roles = new Set(
    [...objectsOfKind("Role"), ...objectsOfKind("ClusterRole")].map(({ kind, metadata }) => `${kind}/${metadata["name"]}`),
  );
  for (const binding of [...objectsOfKind("RoleBinding"), ...objectsOfKind("ClusterRoleBinding")]) {
    const { kind, name } = binding["roleRef"] as JsonObject;
    expect(roles).toContain(`${kind}/${name}`);
    expect(binding["subjects"]).toEqual([{ kind: "ServiceAccount", name: "shop-controller-manager", namespace: "shop-system" }]);
  }
});

test("aggregates user roles to the built-in roles only if configured, and not for cluster-scoped kinds", () => {
  expect(JSON.stringify(objectsOfKind("ClusterRole"))).not.toContain("aggregate-to");
  const roles = buildManifests(context({ aggregateUserRoles: true })).map(
    ({ object }) => object as typeof object & { metadata: JsonObject },
  );
  const labels = (name: string) => roles.find(({ metadata }) => metadata["name"] === name)?.metadata["labels"];
  expect(labels("shop-store-viewer-role")).toMatchObject({ "rbac.authorization.k8s.io/aggregate-to-view": "true" });
  expect(Object.keys(labels("shop-extra-viewer-role") as JsonObject)).not.toContain("rbac.authorization.k8s.io/aggregate-to-view");
});

test("gives admin, editor and viewer roles their verbs", () => {
  const rules = (level: string) =>
    objectsOfKind("ClusterRole")
      .filter(({ metadata }) => metadata["name"] === `shop-store-${level}-role`)
      .flatMap((role) => role["rules"] as readonly JsonObject[])
      .map(({ resources, verbs }) => `${String(resources)}: ${String(verbs)}`);
  const status = "stores/status: get";
  expect(rules("admin")).toEqual(["stores: *", status]);
  expect(rules("editor")).toEqual(["stores: create,delete,get,list,patch,update,watch", status]);
  expect(rules("viewer")).toEqual(["stores: get,list,watch", status]);
});

test("applies the overlay last and without changing later output", () => {
  const overlay: Config["overlay"] = (object) => {
    if (object["kind"] === "Namespace") return undefined;
    (object["metadata"] as { annotations?: unknown }).annotations = { team: "a" };
    return object;
  };
  const files = renderConfigLayout(context({ overlay }));
  const installed = parseAllDocuments(files.get("dist/install.yaml")!).map((each) => each.toJS());
  expect(installed.some(({ kind }) => kind === "Namespace")).toBe(false);
  expect(installed.every(({ metadata }) => metadata.annotations.team === "a")).toBe(true);
  expect(renderConfigLayout(context()).get("dist/install.yaml")).not.toContain("team: a");
});

test("uses resources, environment, pull secrets and replicas of the config", () => {
  const config: Config = {
    resources: { limits: { memory: "1Gi" } },
    env: { LEVEL: "debug", NODE_OPTIONS: "--enable-source-maps" },
    imagePullSecrets: ["registry"],
    replicas: 3,
  };
  const [deployment] = objectsOfKind("Deployment", config) as unknown as readonly { spec: any }[];
  const { replicas, template } = deployment!.spec;
  expect(replicas).toBe(3);
  expect(template.spec.imagePullSecrets).toEqual([{ name: "registry" }]);
  const env = template.spec.containers[0].env as readonly { name: string; value?: string }[];
  expect(env.filter(({ name }) => name === "NODE_OPTIONS")).toEqual([{ name: "NODE_OPTIONS", value: "--enable-source-maps" }]);
  expect(renderConfigLayout(context({ resources: { limits: { memory: "1Gi" } } })).get("config/manager/manager.yaml")).toContain(
    "--max-old-space-size=768",
  );
});

test("always renders monitoring manifests and deploys them if configured", () => {
  const resources = (config: Config) => parse(renderConfigLayout(context(config)).get("config/default/kustomization.yaml")!).resources;
  expect(resources({})).toEqual(["../crd", "../rbac", "../manager", "../network-policy"]);
  expect(resources({ networkPolicy: false })).toEqual(["../crd", "../rbac", "../manager"]);
  expect(resources({ prometheus: true })).toEqual(["../crd", "../rbac", "../manager", "../network-policy", "../prometheus"]);
  expect(renderConfigLayout(context()).has("config/prometheus/monitor.yaml")).toBe(true);
  expect(renderConfigLayout(context()).get("dist/install.yaml")).not.toContain("ServiceMonitor");
});

test("lets Prometheus verify the certificate that the operator issues for its metrics", () => {
  const all = buildManifests(context()).map(({ object }) => object as any);
  const find = (kind: string, name: string) => all.find((object) => object.kind === kind && object.metadata.name === name);
  const [endpoint] = find("ServiceMonitor", "shop-controller-manager-metrics-monitor").spec.endpoints;
  const { ca, serverName, ...others } = endpoint.tlsConfig;
  expect(others).toEqual({});
  expect(find("Secret", ca.secret.name)).not.toHaveProperty("data");
  const [service, namespace] = serverName.split(".");
  expect(find("Service", service).metadata.namespace).toBe(namespace);
  expect(find("Deployment", "shop-controller-manager").spec.template.spec.containers[0].args).toContain("--metrics-name=shop");
  expect(find("Role", "shop-metrics-certificates-role").rules).toEqual([
    { apiGroups: [""], resources: ["secrets"], resourceNames: [ca.secret.name], verbs: ["get", "list", "update", "watch"] },
  ]);
  const legacy = [...renderDeployLayout(context(), []).values()].join("");
  expect(legacy).not.toMatch(/metrics-(name|certificates)/);
});

test("limits the lease by name: that of the code, and one that the manifests set", () => {
  const rules = (config: Config) =>
    buildManifests(context(config)).find(({ file }) => file === "leader_election_role.yaml")!.object["rules"] as readonly JsonObject[];
  const [create, byName] = rules({});
  expect(create).toEqual({ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] });
  expect(byName).toMatchObject({ resources: ["leases"], verbs: ["get", "update"] });
  expect(byName!["resourceNames"]).toHaveLength(1);
  expect(rules({ env: { OPERATOR_NAME: "zz" } })[1]!["resourceNames"]).toEqual([...(byName!["resourceNames"] as string[]), "zz"]);
});

test("restricts egress to DNS and API servers, and opens what is configured", () => {
  const egress = (config: Config) =>
    (buildManifests(context(config)).find(({ file }) => file === "allow_egress_traffic.yaml")!.object["spec"] as JsonObject)[
      "egress"
    ] as readonly {
      readonly ports?: readonly { readonly port: number }[];
    }[];
  const ports = (config: Config) => egress(config).flatMap((rule) => (rule.ports ?? []).map(({ port }) => port));
  expect(ports({})).toEqual([443, 6443, 8443, 16443, 53, 53]);
  expect(ports({ networkPolicy: { egress: [{ ports: [{ port: 2379, protocol: "TCP" }] }] } })).toContain(2379);
  expect(egress({ networkPolicy: { egress: "all" } })).toEqual([{}]);
});

describe("webhooks", () => {
  const Moved = defineResource({ group: "shop.example.com", version: "v2", kind: "Moved", spec: z.object({ n: z.int32() }) }).older({
    version: "v1",
    spec: z.object({ m: z.int32() }),
    toHub: ({ spec }) => ({ spec: { n: spec.m } }),
    fromHub: ({ spec }) => ({ spec: { m: spec.n } }),
  });
  const hooks = [
    webhook(Store, { default() {}, validate: () => [] }),
    webhook(Pod, { operations: ["CREATE", "DELETE"], validate: () => [], timeoutSeconds: 3 }),
  ];
  const withWebhooks = (config: Config = {}): ManifestContext => {
    const { project } = context(config);
    return {
      project,
      operator: withConversionEndpoint(
        operatorFromOptions({ controllers: [store], resources: [Moved], webhooks: hooks }),
        buildServiceEndpoint(project),
      ),
    };
  };
  const all = (config?: Config) => buildManifests(withWebhooks(config)).map(({ object }) => object as any);
  const one = (kind: string, config?: Config) => all(config).filter((object) => object.kind === kind);
  const container = (config?: Config) => one("Deployment", config)[0].spec.template.spec.containers[0];

  test("renders the webhook Service, configurations and an empty certificate Secret", () => {
    const [mutating] = one("MutatingWebhookConfiguration");
    const [validating] = one("ValidatingWebhookConfiguration");
    const service = { name: "shop-webhook-service", namespace: "shop-system", port: 443 };
    expect(mutating.webhooks).toEqual([
      expect.objectContaining({
        name: "mutate.store.v1.shop.example.com",
        clientConfig: { service: { ...service, path: "/mutate-shop-example-com-v1-store" } },
        reinvocationPolicy: "Never",
        failurePolicy: "Fail",
        rules: [
          {
            apiGroups: ["shop.example.com"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["stores"],
            scope: "Namespaced",
          },
        ],
      }),
    ]);
    expect(validating.webhooks.map(({ name }: { name: string }) => name)).toEqual([
      "validate.store.v1.shop.example.com",
      "validate.pod.v1.core",
    ]);
    expect(validating.webhooks[0]).not.toHaveProperty("namespaceSelector");
    // Without this selector, the webhook would block the pods of its own operator.
    expect(validating.webhooks[1]).toMatchObject({
      timeoutSeconds: 3,
      namespaceSelector: {
        matchExpressions: [
          { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-node-lease", "kube-system", "shop-system"] },
        ],
      },
    });
    expect(one("Service").find(({ metadata }) => metadata.name === "shop-webhook-service").spec.ports[0]).toMatchObject({
      port: 443,
      targetPort: "webhook",
    });
    expect(one("Secret").map(({ metadata, type, data }) => [metadata.name, type, data])).toEqual([
      ["shop-metrics-certificates", "Opaque", undefined],
      ["shop-webhook-certificates", "Opaque", undefined],
    ]);
    expect(container().args).toEqual(expect.arrayContaining(["--webhook-name=shop", "--webhook-bind-address=:9443"]));
  });

  test("limits certificate permissions to named objects", () => {
    const role = one("Role").find(({ metadata }) => metadata.name === "shop-webhook-certificates-role");
    expect(role.rules).toEqual([
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["shop-webhook-certificates"], verbs: ["get", "list", "update", "watch"] },
    ]);
    const cluster = one("ClusterRole").find(({ metadata }) => metadata.name === "shop-webhook-registration-role");
    expect(cluster.rules.map(({ resources, resourceNames }: any) => [resources[0], resourceNames])).toEqual([
      ["mutatingwebhookconfigurations", ["shop-mutating-webhook-configuration"]],
      ["validatingwebhookconfigurations", ["shop-validating-webhook-configuration"]],
      ["customresourcedefinitions", ["moveds.shop.example.com"]],
    ]);
    expect(one("ClusterRoleBinding").map(({ roleRef }) => roleRef.name)).toContain("shop-webhook-registration-role");
  });

  test("includes webhook roles and manifests in the deploy layout", () => {
    const files = renderDeployLayout(withWebhooks(), []);
    const names = (file: string) =>
      parseAllDocuments(files.get(`deploy/${file}.yaml`)!).map((each) => (each.toJS() as { metadata: { name: string } }).metadata.name);
    expect(names("role")).toEqual(expect.arrayContaining(["shop-webhook-certificates-role", "shop-webhook-registration-role"]));
    expect(names("role_binding")).toHaveLength(names("role").length);
    expect(names("webhook")).toEqual([
      "shop-webhook-service",
      "shop-webhook-certificates",
      "shop-mutating-webhook-configuration",
      "shop-validating-webhook-configuration",
    ]);
  });

  test("sets the conversion endpoint of CRDs", () => {
    const [crd] = one("CustomResourceDefinition").filter(({ metadata }) => metadata.name === "moveds.shop.example.com");
    expect(crd.spec.conversion.webhook.clientConfig).toEqual({
      service: { name: "shop-webhook-service", namespace: "shop-system", path: "/convert", port: 443 },
    });
  });

  test("uses cert-manager objects, annotations and a mounted Secret instead of certificate permissions", () => {
    const config: Config = { webhookCertificates: "cert-manager" };
    const from = { "cert-manager.io/inject-ca-from": "shop-system/shop-webhook-serving-certificate" };
    for (const kind of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
      expect(one(kind, config)[0].metadata.annotations).toEqual(from);
    const [crd] = one("CustomResourceDefinition", config).filter(({ metadata }) => metadata.name === "moveds.shop.example.com");
    expect(crd.metadata.annotations).toEqual(from);
    expect(one("Certificate", config)[0].spec).toMatchObject({
      secretName: "shop-webhook-certificates",
      issuerRef: { name: "shop-webhook-issuer" },
    });
    expect(one("Issuer", config)[0].metadata.name).toBe("shop-webhook-issuer");
    expect(one("Secret", config).map(({ metadata }) => metadata.name)).toEqual(["shop-metrics-certificates"]);
    expect(container(config).args).toContain("--webhook-cert-path=/var/run/webhook-certificates");
    expect(container(config).volumeMounts[0].mountPath).toBe("/var/run/webhook-certificates");
    expect(one("Role", config).map(({ metadata }) => metadata.name)).not.toContain("shop-webhook-certificates-role");
    expect(parse(renderConfigLayout(withWebhooks(config)).get("config/default/kustomization.yaml")!).resources).toEqual([
      "../crd",
      "../rbac",
      "../manager",
      "../webhook",
      "../certmanager",
      "../network-policy",
    ]);
  });

  test("mounts a configured certificate Secret", () => {
    const config: Config = { webhookCertificates: { secret: "mine" } };
    expect(one("Deployment", config)[0].spec.template.spec.volumes).toEqual([
      { name: "webhook-certificates", secret: { secretName: "mine" } },
    ]);
  });

  test("renders nothing for an operator without webhooks", () => {
    expect(renderConfigLayout(context()).has("config/webhook/manifests.yaml")).toBe(false);
    expect(renderConfigLayout(context()).get("dist/install.yaml")).not.toContain("webhook");
  });
});
