/** The chart, rendered by a real helm, is the same objects as dist/install.yaml. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { shop, workshop } from "../../packages/cli/test/pintle.ts";
import { full, seed } from "../sampling.ts";
import { helm } from "./helm.ts";

const program = helm();
if (program === undefined) {
  console.warn(
    "\n!!! SKIPPED: no helm, so nobody has rendered the chart. Build it with: node --import tsx conformance/cli/build-helm.ts\n",
  );
}
const run = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(program!, words, { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
};
type Rendered = Record<string, any>;
const documents = (text: string) =>
  parseAllDocuments(text)
    .map((each) => each.toJS() as Rendered)
    .filter((each) => each !== null);
const sorted = (objects: readonly Rendered[]) => {
  const key = ({ kind, metadata }: Rendered) => `${kind} ${metadata.namespace ?? ""} ${metadata.name}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
};
/** A sample is some of them, others every day. */
const today = <T>(cases: readonly T[]) => cases.filter((_, i) => full || i % 3 === seed % 3);
/** Everything that the manifests have and Helm does better itself. */
const WHOLE = ["--set", "namespace.create=true", "--set", "crd.keep=false"];
const TRICKY = shop('{ text: z.string().default("{{ not a template }}").describe("Braces: {{ .Values.x }}") }', 'shortNames: ["st"],');

/** With a webhook, and a conversion between two versions. */
const ASKED = {
  ...shop(),
  "src/store.ts": shop()["src/store.ts"]!.replace(
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
  const render = (here: ReturnType<typeof workshop>, ...words: string[]) => {
    const { code, out, err } = run("template", "shop", path.join(here.root, "dist/chart"), "--namespace", "shop-system", ...words);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return sorted(documents(out));
  };
  const installed = async (config: string) => {
    using here = workshop({ ...TRICKY, "pintle.config.ts": `export default ${config};\n` });
    expect(await here.pintle("generate")).toMatchObject({ code: 0, err: "" });
    return { objects: sorted(documents(here.read("dist/install.yaml"))), chart: render(here, ...WHOLE) };
  };

  test("with its own values it is dist/install.yaml, whatever pintle.config.ts says", async () => {
    for (const config of today([
      "{}",
      '{ namespaces: ["b", "a"], replicas: 3, imagePullSecrets: ["registry"], env: { LEVEL: "debug" }, prometheus: true }',
      '{ namespaces: "own", namespace: "shop-system", image: "ghcr.io/me/shop@sha256:' +
        "0".repeat(64) +
        '", networkPolicy: true, resources: {} }',
      '{ overlay: (o) => { if (o.kind === "Deployment") o.spec.template.spec.nodeSelector = { gpu: "yes" }; return o; } }',
    ])) {
      const { objects, chart } = await installed(config);
      expect(chart).toEqual(objects);
    }
  });

  test("with webhooks and conversions, too", async () => {
    using here = workshop(ASKED);
    expect(await here.pintle("generate")).toMatchObject({ code: 0, err: "" });
    const objects = sorted(documents(here.read("dist/install.yaml")));
    expect(objects.map(({ kind }) => kind)).toContain("ValidatingWebhookConfiguration");
    expect(render(here, ...WHOLE)).toEqual(objects);
    const elsewhere = run("template", "shop", path.join(here.root, "dist/chart"), "--namespace", "ops").out;
    expect(elsewhere).not.toContain("shop-system");
  });

  test("one value sets what is watched and what is allowed; the others are where they say", async () => {
    using here = workshop(TRICKY);
    await here.pintle("generate");
    expect(run("lint", "--strict", path.join(here.root, "dist/chart"))).toMatchObject({ code: 0 });
    for (const [flag, config] of today([
      ["namespaces={b,a}", '{ namespaces: ["a", "b"] }'],
      ["namespaces=own", '{ namespaces: "own" }'],
      ["prometheus.enabled=true", "{ prometheus: true }"],
      ["networkPolicy.enabled=true", "{ networkPolicy: true }"],
      ["image.repository=ghcr.io/me/shop,image.tag=v2", '{ image: "ghcr.io/me/shop:v2" }'],
      ["imagePullSecrets[0].name=registry", '{ imagePullSecrets: ["registry"] }'],
      ["replicas=2", "{ replicas: 2 }"],
    ] as const)) {
      expect(render(here, ...WHOLE, "--set", flag)).toEqual((await installed(config)).objects);
    }
    // In another namespace, nothing speaks of the first one.
    const elsewhere = run("template", "shop", path.join(here.root, "dist/chart"), "--namespace", "ops").out;
    expect(elsewhere).not.toContain("shop-system");
    expect(documents(elsewhere).some(({ kind }) => kind === "Namespace")).toBe(false);
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

  test("a value that is misspelt or of another type is refused by its schema", async () => {
    using here = workshop(shop());
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

  test("what the user has in config/chart is in the chart, and is never written to", async () => {
    const own = { "config/chart/templates/extra.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n" };
    using here = workshop({ ...shop(), ...own });
    await here.pintle("generate");
    here.write("dist/chart/templates/rbac/stale.yaml", "kind: Old\n");
    expect((await here.pintle("generate")).out).toBe("deleted  dist/chart/templates/rbac/stale.yaml\n");
    expect(render(here).map(({ metadata }) => metadata.name)).toContain("extra");
    expect(here.read("config/chart/templates/extra.yaml")).toBe(own["config/chart/templates/extra.yaml"]);
  });
});
