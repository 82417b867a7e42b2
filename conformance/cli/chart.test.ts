/** The chart, rendered by helm, has the same objects as dist/install.yaml. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { full, seed } from "../sampling.ts";
import { helm } from "./helm.ts";

const program = helm();
if (program === undefined) {
  console.warn("\n!!! SKIPPED: no helm, so the chart was not rendered. Build it with: node --import tsx conformance/cli/build-helm.ts\n");
}
const run = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(program!, words, { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
};
type Rendered = Record<string, any>;
const parseDocuments = (text: string) =>
  parseAllDocuments(text)
    .map((each) => each.toJS() as Rendered)
    .filter((each) => each !== null);
const sortObjects = (objects: readonly Rendered[]) => {
  const key = ({ kind, metadata }: Rendered) => `${kind} ${metadata.namespace ?? ""} ${metadata.name}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
};
/** A sample run takes a third of the cases, others with another seed. */
const sampleCases = <T>(cases: readonly T[]) => cases.filter((_, i) => full || i % 3 === seed % 3);
/** Values that add what dist/install.yaml contains and a Helm installation does not need. */
const MANIFEST_VALUES = ["--set", "namespace.create=true", "--set", "crd.keep=false"];
const TRICKY = shopProject(
  '{ text: z.string().default("{{ not a template }}").describe("Braces: {{ .Values.x }}") }',
  'shortNames: ["st"],',
);

/** A project with a webhook and a conversion between two versions. */
const WITH_WEBHOOKS = {
  ...shopProject(),
  "src/store.ts": shopProject()["src/store.ts"]!.replace(
    "});\nexport const store",
    '}).older({ version: "v1beta1", spec: z.object({ size: z.int32() }), toHub: ({ spec }) => ({ spec: { replicas: spec.size } }), fromHub: ({ spec }) => ({ spec: { size: spec.replicas } }) });\nexport const store',
  ),
  "src/main.ts": `import { run, webhook } from "pintle";
import { Store, store } from "./store.ts";
const storeWebhook = webhook(Store, { validate: () => [] });
await run({ controllers: [store], webhooks: [storeWebhook] });
`,
};

describe.skipIf(program === undefined)("the chart", { timeout: 120_000 }, () => {
  const render = (here: ReturnType<typeof createTestProject>, ...words: string[]) => {
    const { code, out, err } = run("template", "shop", path.join(here.root, "dist/chart"), "--namespace", "shop-system", ...words);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return sortObjects(parseDocuments(out));
  };
  const generateAndRender = async (config: string) => {
    using here = createTestProject({ ...TRICKY, "pintle.config.ts": `export default ${config};\n` });
    expect(await here.pintle("generate")).toMatchObject({ code: 0, err: "" });
    return { objects: sortObjects(parseDocuments(here.read("dist/install.yaml"))), chart: render(here, ...MANIFEST_VALUES) };
  };

  test("renders the objects of dist/install.yaml with default values, for any pintle.config.ts", async () => {
    for (const config of sampleCases([
      "{}",
      '{ namespaces: ["b", "a"], replicas: 3, imagePullSecrets: ["registry"], env: { LEVEL: "debug" }, prometheus: true }',
      '{ namespaces: "own", namespace: "shop-system", image: "ghcr.io/me/shop@sha256:' +
        "0".repeat(64) +
        '", networkPolicy: { egress: "all" }, aggregateUserRoles: true, resources: {} }',
      '{ replicas: 2, topologySpread: false, podDisruptionBudget: { minAvailable: "50%" }, args: ["--verbose"], volumes: { cache: { emptyDir: {}, mountPath: "/cache" } } }',
      '{ podDisruptionBudget: true, topologySpread: [{ maxSkew: 2, topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule" }] }',
      "{ replicas: 2, podDisruptionBudget: false }",
      '{ overlay: (o) => { if (o.kind === "Deployment") o.spec.template.spec.nodeSelector = { gpu: "yes" }; return o; } }',
    ])) {
      const { objects, chart } = await generateAndRender(config);
      expect(chart).toEqual(objects);
    }
  });

  test("renders the objects of dist/install.yaml with webhooks and conversions", async () => {
    using here = createTestProject(WITH_WEBHOOKS);
    expect(await here.pintle("generate")).toMatchObject({ code: 0, err: "" });
    const objects = sortObjects(parseDocuments(here.read("dist/install.yaml")));
    expect(objects.map(({ kind }) => kind)).toContain("ValidatingWebhookConfiguration");
    expect(render(here, ...MANIFEST_VALUES)).toEqual(objects);
    const elsewhere = run("template", "shop", path.join(here.root, "dist/chart"), "--namespace", "ops").out;
    expect(elsewhere).not.toContain("shop-system");
  });

  test("namespaces sets watches and RBAC; the other values set their fields", async () => {
    using here = createTestProject(TRICKY);
    await here.pintle("generate");
    expect(run("lint", "--strict", path.join(here.root, "dist/chart"))).toMatchObject({ code: 0 });
    for (const [flag, config] of sampleCases([
      ["namespaces={b,a}", '{ namespaces: ["a", "b"] }'],
      ["namespaces=own", '{ namespaces: "own" }'],
      ["prometheus.enabled=true", "{ prometheus: true }"],
      ["networkPolicy.enabled=false", "{ networkPolicy: false }"],
      ["image.repository=ghcr.io/me/shop,image.tag=v2", '{ image: "ghcr.io/me/shop:v2" }'],
      ["imagePullSecrets[0].name=registry", '{ imagePullSecrets: ["registry"] }'],
      ["replicas=2", "{ replicas: 2 }"],
      ["replicas=2,podDisruptionBudget.minAvailable=0", "{ replicas: 2, podDisruptionBudget: { minAvailable: 0 } }"],
      ["podDisruptionBudget.enabled=true", "{ podDisruptionBudget: true }"],
      ["replicas=2,podDisruptionBudget.enabled=false,topologySpreadConstraints=null", "{ replicas: 2, podDisruptionBudget: false }"],
    ] as const)) {
      expect(render(here, ...MANIFEST_VALUES, "--set", flag)).toEqual((await generateAndRender(config)).objects);
    }
    // Nothing refers to the default namespace when installed into another one.
    const elsewhere = run("template", "shop", path.join(here.root, "dist/chart"), "--namespace", "ops").out;
    expect(elsewhere).not.toContain("shop-system");
    expect(parseDocuments(elsewhere).some(({ kind }) => kind === "Namespace")).toBe(false);
    expect(elsewhere).toContain("helm.sh/resource-policy: keep");
    const bare = render(
      here,
      "--set",
      "crd.enabled=false",
      "--set",
      "userRoles.enabled=false",
      "--set",
      "serviceAccount.annotations.role=x",
    );
    expect(bare.some(({ kind }) => kind === "CustomResourceDefinition")).toBe(false);
    expect(bare.find(({ kind }) => kind === "ServiceAccount")).toMatchObject({ metadata: { annotations: { role: "x" } } });
    expect(bare.filter(({ metadata }) => /-(admin|editor|viewer)-role$/.test(metadata.name))).toEqual([]);
  });

  test("the values schema refuses an unknown value and a value of the wrong type", async () => {
    using here = createTestProject(shopProject());
    await here.pintle("generate");
    for (const [flag, sentence] of [
      ["replica=2", /replica/],
      ["replicas=many", /replicas/],
      ["namespaces=some", /namespaces/],
      ["image.tagg=1", /tagg/],
      ["image.digest=sha256:1", /digest/],
    ] as const) {
      const { code, err } = run("template", "shop", path.join(here.root, "dist/chart"), "--set", flag);
      expect(code).toBe(1);
      expect(err).toMatch(sentence);
    }
  });

  test("includes the files of config/chart and never changes them", async () => {
    const own = { "config/chart/templates/extra.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n" };
    using here = createTestProject({ ...shopProject(), ...own });
    await here.pintle("generate");
    here.write("dist/chart/templates/rbac/stale.yaml", "kind: Old\n");
    expect((await here.pintle("generate")).out).toBe("deleted  dist/chart/templates/rbac/stale.yaml\n");
    expect(render(here).map(({ metadata }) => metadata.name)).toContain("extra");
    expect(here.read("config/chart/templates/extra.yaml")).toBe(own["config/chart/templates/extra.yaml"]);
  });
});
