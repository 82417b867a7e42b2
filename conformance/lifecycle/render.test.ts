import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BundleRenderOptions, readBundle, readBundleFolder, renderBundle } from "@pintle/lifecycle";
import { afterAll, describe, expect, test } from "vitest";
import { createRandom, type Random } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { formatGoTypes } from "./go-types.ts";
import { mutateValue } from "./mutate-value.ts";
import { listPublishedBundles } from "./published.ts";
import { findReference, Reference } from "./reference.ts";
import { BUNDLE_WORDS, SAMPLE_BUNDLE, writeBundle } from "./sample-bundle.ts";

const file = findReference();
const TARGETS = [undefined, [""], ["here"], ["there"], ["here", "there"], ["there", "elsewhere"]];
const CERTIFICATES = [undefined, "cert-manager", "service-ca"] as const;
const DEPLOYMENT_CONFIG = {
  env: [
    { name: "WATCH_NAMESPACE", value: "x" },
    { name: "NEW", value: "y" },
  ],
  envFrom: [{ configMapRef: { name: "c" } }],
  volumes: [{ name: "certs", configMap: { name: "c" } }],
  volumeMounts: [{ name: "certs", mountPath: "/other" }],
  tolerations: [
    { key: "a", operator: "Exists" },
    { key: "b", operator: "Exists" },
  ],
  resources: { limits: { cpu: "2" } },
  nodeSelector: { disk: "ssd" },
  affinity: { nodeAffinity: {}, podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  annotations: { capabilities: "config", added: "yes" },
};

describe.runIf(file !== undefined)(`rendering, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  const scratch = mkdtempSync(join(tmpdir(), "pintle-render-"));
  afterAll(async () => {
    await reference.stop();
    rmSync(scratch, { recursive: true, force: true });
  });
  const compare = async (folder: string, options: BundleRenderOptions, note: unknown = folder): Promise<boolean> => {
    const { error, objects } = await reference.ask({ op: "render", folder, ...options });
    expect({ note, options, ...render(folder, options) }).toEqual({
      note,
      options,
      ...(error === undefined ? { objects: normalize(objects as object[]) } : { error: normalizeError(error) }),
    });
    return error === undefined;
  };

  test("the generated table of Go types is that of the real types", async () => {
    const { readFile } = await import("node:fs/promises");
    const table = join(import.meta.dirname, "..", "..", "packages", "lifecycle", "src", "go-types", "generated.ts");
    const lines = (text: string) => text.replaceAll(/\s+/g, " ");
    expect(lines(await readFile(table, "utf8"))).toBe(lines(await formatGoTypes(reference)));
  });

  test("published bundles are rendered to the same objects, or refused with the same text", async () => {
    let rendered = 0;
    for (const folder of listPublishedBundles()) {
      for (const targetNamespaces of [undefined, ["here"], ["there"]]) {
        const options = {
          namespace: "here",
          certificates: "cert-manager",
          ...(targetNamespaces === undefined ? {} : { targetNamespaces }),
        } as const;
        if (await compare(folder, options)) rendered++;
      }
    }
    expect(rendered).toBeGreaterThan(10);
  });

  test("changed bundles are rendered to the same objects, or refused with the same text", { timeout: 900_000 }, async () => {
    const random = createRandom(seed);
    let rendered = 0;
    for (let i = 0; i < (full ? 10_000 : 600); i++) {
      const folder = join(scratch, String(i));
      const files = i === 0 ? SAMPLE_BUNDLE : mutateValue(SAMPLE_BUNDLE, BUNDLE_WORDS, random);
      writeBundle(folder, files);
      if (await compare(folder, pickOptions(random), files)) rendered++;
      rmSync(folder, { recursive: true, force: true });
    }
    expect(rendered).toBeGreaterThan(100);
  });
});

function pickOptions(random: Random): BundleRenderOptions {
  const targetNamespaces = random.chance(0.7) ? undefined : random.pick(TARGETS);
  const certificates = random.pick(CERTIFICATES);
  return {
    namespace: "here",
    ...(targetNamespaces === undefined ? {} : { targetNamespaces }),
    ...(certificates === undefined ? {} : { certificates }),
    ...(random.chance(0.5) ? {} : { deploymentConfig: random.chance(0.3) ? { affinity: {} } : DEPLOYMENT_CONFIG }),
  };
}

function render(folder: string, options: BundleRenderOptions): { readonly objects?: unknown; readonly error?: string } {
  try {
    return { objects: normalize(renderBundle(readBundle(readBundleFolder(folder)), options)) };
  } catch (error) {
    return { error: normalizeError((error as Error).message) };
  }
}

/** ServiceAccounts, and the objects of certificates, come out of Go maps in any order. */
function normalize(objects: readonly object[]): unknown {
  return objects.map((object) => JSON.stringify(sortKeys(object))).sort();
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sortKeys(field)]),
  );
}

/** Parsers have their own words for what is wrong in a file, and of several wrong fields any may be named. */
function normalizeError(text: string): string {
  return text
    .replace(/(error parsing objects in "[^"]*":).*/s, "$1 ...")
    .replace(/(error (converting YAML|unmarshaling JSON)|json: cannot unmarshal).*/s, "...");
}
