import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createTestProject, shopProject } from "./test-project.ts";

const CSV = "bundle/manifests/shop.clusterserviceversion.yaml";

function configured(config: string): Readonly<Record<string, string>> {
  return { ...shopProject(), "pintle.config.ts": `export default ${config};\n` };
}

interface Csv {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, never>> & {
    readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
    readonly install: {
      readonly spec: {
        readonly permissions: readonly {
          readonly serviceAccountName: string;
          readonly rules: readonly { readonly [key: string]: readonly string[] }[];
        }[];
        readonly clusterPermissions: readonly { readonly serviceAccountName: string }[];
        readonly deployments: readonly {
          readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [{ readonly env: unknown }] } } };
        }[];
      };
    };
  };
}

describe("pintle bundle", () => {
  test("writes manifests, metadata and an image without objects that OLM creates itself", async () => {
    using project = createTestProject(shopProject());
    const { code, err } = await project.pintle("bundle");
    expect({ code, err }).toMatchObject({ code: 0 });
    const files = project.files().filter((file) => file.startsWith("bundle/"));
    expect(files).toContain("bundle/manifests/shop.example.com_stores.yaml");
    expect(files.filter((file) => /(namespace|serviceaccount|_role|rolebinding|deployment)\.yaml$/.test(file))).toEqual([]);
    const csv = parse(project.read(CSV)) as Csv;
    expect(csv.metadata.name).toBe("shop.v1.2.3");
    const { permissions, clusterPermissions, deployments } = csv.spec.install.spec;
    const [{ serviceAccountName }] = clusterPermissions as [{ readonly serviceAccountName: string }];
    expect(serviceAccountName).toBe("shop-controller-manager");
    expect(deployments[0]!.spec.template.spec.containers[0].env).toContainEqual({
      name: "WATCH_NAMESPACE",
      valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
    });
    // OLM promotes these to the whole cluster: all verbs that can be limited to names are.
    for (const rule of permissions.flatMap(({ rules }) => rules)) {
      if (!rule["verbs"]!.includes("create")) expect(rule).toHaveProperty("resourceNames");
    }
  });

  test("is reproducible, and --check fails once a file is out of date", async () => {
    using project = createTestProject(shopProject());
    const first = JSON.parse((await project.pintle("bundle", "-o", "json")).out) as { readonly digest: string };
    const again = JSON.parse((await project.pintle("bundle", "-o", "json")).out) as {
      readonly digest: string;
      readonly changes: unknown[];
    };
    expect(again).toMatchObject({ digest: first.digest, changes: [] });
    expect((await project.pintle("bundle", "--check", "--validate")).code).toBe(0);
    project.write(CSV, "changed");
    const failed = await project.pintle("bundle", "--check");
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining(`${CSV} would be updated`) });
    expect(project.read(CSV)).toBe("changed");
  });

  test("labels the image, which has one layer, with the annotations of the bundle", async () => {
    using project = createTestProject(configured('{ olm: { package: "stores", channels: ["stable", "fast"] } }'));
    await project.pintle("bundle", "localhost:1/shop-bundle:dev");
    const read = (digest: string) =>
      JSON.parse(readFileSync(path.join(project.root, "dist/bundle-image/blobs/sha256", digest.replace("sha256:", "")), "utf8"));
    const index = JSON.parse(project.read("dist/bundle-image/index.json")) as {
      readonly manifests: readonly [{ readonly digest: string }];
    };
    const manifest = read(index.manifests[0].digest) as {
      readonly layers: readonly unknown[];
      readonly config: { readonly digest: string };
    };
    expect(manifest.layers).toHaveLength(1);
    expect(read(manifest.config.digest).config.Labels).toMatchObject({
      "operators.operatorframework.io.bundle.package.v1": "stores",
      "operators.operatorframework.io.bundle.channels.v1": "stable,fast",
      "operators.operatorframework.io.bundle.channel.default.v1": "stable",
    });
  });

  test("contains no namespace of the installation without OLM, and no object that names one", async () => {
    using project = createTestProject(configured('{ prometheus: true, replicas: 2, namespace: "elsewhere" }'));
    await project.pintle("bundle");
    const files = project.files().filter((file) => file.startsWith("bundle/"));
    expect(files.filter((file) => file !== CSV && project.read(file).includes("elsewhere"))).toEqual([]);
    const mentions = project
      .read(CSV)
      .split("\n")
      .filter((line) => line.includes("elsewhere"));
    expect(mentions).toEqual(["    operatorframework.io/suggested-namespace: elsewhere"]);
    const monitor = parse(project.read("bundle/manifests/shop-controller-manager-metrics-monitor_servicemonitor.yaml"));
    expect(monitor.spec.endpoints[0].tlsConfig).toEqual({
      ca: { secret: { name: "shop-metrics-certificates", key: "ca.crt" } },
      serverName: "shop-controller-manager-metrics-service",
    });
    // The operator fills it, without permission to create Secrets.
    expect(parse(project.read("bundle/manifests/shop-metrics-certificates_secret.yaml"))).not.toHaveProperty("data");
  });

  test.each([
    ["own", ["OwnNamespace"], "permissions"],
    [["a", "b"], ["SingleNamespace", "MultiNamespace"], "clusterPermissions"],
  ] as const)("namespaces %j supports %j, and grants the Lease as %s", async (namespaces, modes, field) => {
    using project = createTestProject(configured(JSON.stringify({ namespaces })));
    expect((await project.pintle("bundle")).code).toBe(0);
    const { spec } = parse(project.read(CSV)) as Csv;
    expect(spec.installModes.filter(({ supported }) => supported).map(({ type }) => type)).toEqual(modes);
    const { permissions, clusterPermissions } = spec.install.spec as unknown as Readonly<
      Record<string, readonly [{ readonly rules: readonly { readonly resources: readonly string[] }[] }]>
    >;
    const resources = (list: typeof permissions) => (list ?? []).flatMap(({ rules }) => rules.flatMap((rule) => rule.resources));
    expect(resources(field === "permissions" ? permissions : clusterPermissions)).toContain("leases");
    expect(resources(permissions)).toContain("stores");
    expect(resources(clusterPermissions)).not.toContain("stores");
  });

  test("describes webhooks instead of registering them, mounts no certificates, and leaves conversion to OLM", async () => {
    using project = createTestProject({ ...webhookProject(), "pintle.config.ts": 'export default { namespaces: "own" };\n' });
    const { code, err } = await project.pintle("bundle");
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("config.namespaces is ignored") });
    expect(err).toContain("OLM ignores the namespaceSelector of webhook");
    const files = project.files().filter((file) => file.startsWith("bundle/"));
    expect(files.filter((file) => /webhook(configuration|-service)|webhook-certificates|issuer|_certificate\./.test(file))).toEqual([]);
    expect(parse(project.read("bundle/manifests/shop.example.com_stores.yaml")).spec).not.toHaveProperty("conversion");
    const { spec } = parse(project.read(CSV)) as Csv;
    const common = { deploymentName: "shop-controller-manager", containerPort: 443, targetPort: 9443 };
    expect(spec["webhookdefinitions"]).toMatchObject([
      { type: "ValidatingAdmissionWebhook", ...common, rules: [{ resources: ["stores"] }], sideEffects: "None" },
      { type: "ConversionWebhook", ...common, conversionCRDs: ["stores.shop.example.com"] },
    ]);
    expect(spec.installModes.filter(({ supported }) => supported)).toEqual([{ type: "AllNamespaces", supported: true }]);
    const [container] = spec.install.spec.deployments[0]!.spec.template.spec.containers as unknown as readonly [
      { readonly args: readonly string[]; readonly volumeMounts?: readonly unknown[] },
    ];
    expect(container.args).toContain("--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs");
    expect(container.volumeMounts).toBeUndefined();
    expect(JSON.stringify(spec.install)).not.toContain("webhookconfigurations");
  });

  test("applies the overlay to CRDs, and keeps an object that has the name of a role of the operator", async () => {
    const overlay = `(object) => {
      if (object.kind === "CustomResourceDefinition") return { ...object, metadata: { ...object.metadata, labels: { team: "shops" } } };
      if (object.kind === "Service") return { ...object, metadata: { ...object.metadata, name: "shop-manager-role" } };
      return object;
    }`;
    using project = createTestProject(configured(`{ overlay: ${overlay} }`));
    expect((await project.pintle("bundle")).code).toBe(0);
    expect(parse(project.read("bundle/manifests/shop.example.com_stores.yaml")).metadata.labels).toEqual({ team: "shops" });
    expect(project.has("bundle/manifests/shop-manager-role_service.yaml")).toBe(true);
  });

  test("lists children as resources, images of variables, and names of other schemes as they are", async () => {
    const olm = '{ package: "stores", replaces: "shop-go.1.2.2", relatedImages: { proxy: "ghcr.io/acme/proxy:1" } }';
    using project = createTestProject(configured(`{ env: { RELATED_IMAGE_WEB_SERVER: "nginx:1.27" }, olm: ${olm} }`));
    expect((await project.pintle("bundle")).code).toBe(0);
    const csv = parse(project.read(CSV)) as Csv;
    expect(csv.metadata.name).toBe("stores.v1.2.3");
    expect(csv.spec).toMatchObject({
      replaces: "shop-go.1.2.2",
      customresourcedefinitions: {
        owned: [
          {
            kind: "Store",
            resources: [
              { kind: "ConfigMap", name: "", version: "v1" },
              { kind: "Event", name: "", version: "events.k8s.io/v1" },
            ],
          },
        ],
      },
      relatedImages: [
        { name: "shop", image: "shop:1.2.3" },
        { name: "web-server", image: "nginx:1.27" },
        { name: "proxy", image: "ghcr.io/acme/proxy:1" },
      ],
    });
  });

  test("refuses an upgrade edge that OLM does not understand", async () => {
    using project = createTestProject(configured('{ olm: { skipRange: "about 1.0", replaces: "1.2.3" } }'));
    const { code, err } = await project.pintle("bundle");
    expect(code).toBe(1);
    expect(err).toContain('olm.skipRange: "about 1.0"');
    expect(err).toContain("olm.replaces: 1.2.3 is this version");
  });

  test("--validate judges a bundle in a folder as operator-sdk does, outside of a project too", async () => {
    using project = createTestProject(shopProject());
    await project.pintle("bundle");
    project.write("pintle.config.ts", "throw new Error('not read');\n");
    expect(await project.pintle("bundle", "--validate", "bundle")).toMatchObject({
      code: 0,
      out: expect.stringContaining("bundle is a valid bundle"),
    });
    const text = project.read(CSV).replace("capabilities: Basic Install", "capabilities: All of them").replace("minKubeVersion", "x");
    project.write(CSV, text);
    const { code, out } = await project.pintle("bundle", "--validate", "bundle", "-o", "json");
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, passed: false });
    expect(JSON.parse(out).outputs).toContainEqual({
      type: "error",
      message: 'Error: Value : (shop.v1.2.3) csv.Metadata.Annotations.Capabilities "All of them" is not a valid capabilities level',
    });
    expect((await project.pintle("bundle", "--validate", "bundle", "--select-optional", "name=good-practices")).code).toBe(0);
    expect(await project.pintle("bundle", "--validate", "bundle", "--select-optional", "name=no")).toMatchObject({ code: 2 });
    expect((await project.pintle("bundle", "--list-optional")).out).toContain("suite=operatorframework");
  });

  test("takes texts and the upgrade edge from the olm block", async () => {
    const olm = '{ displayName: "Shops", replaces: "1.2.2", skips: ["1.2.1"], skipRange: ">=1.0.0 <1.2.3", categories: ["Database"] }';
    using project = createTestProject(configured(`{ namespaces: "own", olm: ${olm} }`));
    expect((await project.pintle("bundle")).code).toBe(0);
    const csv = parse(project.read(CSV)) as Csv;
    expect(csv.spec).toMatchObject({ displayName: "Shops", replaces: "shop.v1.2.2", skips: ["shop.v1.2.1"] });
    expect(csv.metadata.annotations).toMatchObject({ "olm.skipRange": ">=1.0.0 <1.2.3", categories: "Database" });
    expect(csv.spec.installModes.filter(({ supported }) => supported)).toEqual([{ type: "OwnNamespace", supported: true }]);
  });

  test("refuses an unknown category and an icon that does not exist", async () => {
    using project = createTestProject(configured('{ olm: { categories: ["Fun"] } }'));
    expect((await project.pintle("bundle")).err).toContain("olm.categories[0]: must be one of AI/Machine Learning");
    project.write("pintle.config.ts", 'export default { olm: { icon: "logo.svg" } };\n');
    expect((await project.pintle("bundle")).err).toContain("olm.icon: cannot read logo.svg (ENOENT)");
    expect(project.files().filter((file) => file.startsWith("bundle/"))).toEqual([]);
  });
});

/** The shop with a validating webhook, and a second version that is converted. */
function webhookProject(): Readonly<Record<string, string>> {
  return {
    ...shopProject(),
    "src/store.ts": `import { controller, defineResource, webhook, z } from "pintle";
const spec = z.object({ replicas: z.int32().default(1) });
export const Store = defineResource({ group: "shop.example.com", version: "v1", kind: "Store", spec }).older({
  version: "v1alpha1", spec, toHub: (object) => object, fromHub: (object) => object,
});
export const store = controller(Store, { reconcile: ({ want }) => want({ children: {} }) });
export const storeWebhook = webhook(Store, {
  namespaceSelector: { matchLabels: { shop: "true" } },
  validate: () => ({ errors: [] }),
});
`,
    "src/main.ts": `import { run } from "pintle";
import { store, storeWebhook } from "./store.ts";
await run({ controllers: [store], webhooks: [storeWebhook] });
`,
  };
}
