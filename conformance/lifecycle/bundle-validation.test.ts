import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultCrd, validateCrd } from "@pintle/cluster/schema";
import { type BundleFinding, readBundleFolder } from "@pintle/lifecycle";
import { loadBundleManifests, OPTIONAL_VALIDATORS, runDefaultValidators } from "@pintle/lifecycle/internal/validate";
import type { JsonObject } from "pintle/kinds";
import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { mutateValue } from "./mutate-value.ts";
import { listPublishedBundles } from "./published.ts";
import { findReference, Reference } from "./reference.ts";
import { BUNDLE_WORDS, SAMPLE_BUNDLE, writeBundle } from "./sample-bundle.ts";

const file = findReference();
/** Those that need files or images from outside are compared in `outside-validators.test.ts`. */
const VALIDATORS = OPTIONAL_VALIDATORS.filter(({ name }) => name !== "community" && name !== "multiarch");
const NAMES = VALIDATORS.map(({ name }) => name);

describe.runIf(file !== undefined)(`validation of bundles, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  const scratch = mkdtempSync(join(tmpdir(), "pintle-validate-"));
  afterAll(async () => {
    await reference.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  const compare = async (folder: string, values: Readonly<Record<string, string>>): Promise<"passed" | "failed" | "unreadable"> => {
    const { error, errors, warnings, panic } = await reference.ask({ op: "bundle", folder, validators: NAMES, values });
    expect(panic).toBeUndefined();
    const own = validate(folder, values);
    // Go reads scalars of YAML as strings, but not in fields of embedded structs.
    if (error !== undefined && /cannot unmarshal (bool|number) into Go struct field .* of type string/.test(error)) return "unreadable";
    if (error !== undefined || own === undefined) {
      expect({ folder, unreadable: own === undefined }).toEqual({ folder, unreadable: error !== undefined });
      return "unreadable";
    }
    const sorted = (texts: readonly string[]) => [...new Set(texts.map(normalize))].sort();
    const theirs = sorted([...(errors as string[]), ...(warnings as string[])]);
    expect({ folder, findings: sorted(own.map(({ message }) => message)) }).toEqual({ folder, findings: theirs });
    return (errors as string[]).length === 0 ? "passed" : "failed";
  };

  test("published bundles get the same errors and warnings, in the same words", { timeout: 900_000 }, async () => {
    const verdicts: Record<string, number> = {};
    const published = listPublishedBundles().filter((each) => existsSync(join(each, "manifests")));
    const folders = full ? published : published.filter((_, i) => i % 2 === seed % 2);
    for (const folder of folders) {
      for (const values of full ? [{}, { "k8s-version": "1.22" }, { "k8s-version": "1.25" }] : [{}]) {
        const verdict = await compare(folder, values);
        verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      }
    }
    console.log("published bundles:", verdicts);
    expect(verdicts["failed"]).toBeGreaterThan(1);
  });

  test("changed bundles get the same errors and warnings, in the same words", { timeout: 900_000 }, async () => {
    const random = createRandom(seed);
    const verdicts: Record<string, number> = {};
    for (let i = 0; i < (full ? 10_000 : 200); i++) {
      const folder = join(scratch, String(i));
      writeBundle(folder, i === 0 ? SAMPLE_BUNDLE : mutateValue(SAMPLE_BUNDLE, BUNDLE_WORDS, random));
      const verdict = await compare(folder, { "k8s-version": "1.25" });
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      rmSync(folder, { recursive: true, force: true });
    }
    expect(Object.keys(verdicts).sort()).toEqual(["failed", "unreadable"]);
  });
});

function validate(folder: string, values: Readonly<Record<string, string>>): readonly BundleFinding[] | undefined {
  const bundle = loadBundleManifests(readBundleFolder(folder));
  if ("problems" in bundle) return undefined;
  const crdErrors = (crd: JsonObject) =>
    validateCrd(defaultCrd({ ...crd, status: { storedVersions: [] } } as JsonObject)).map(({ field, detail }) => ({
      field,
      message: detail,
    }));
  return [...runDefaultValidators(bundle, crdErrors), ...VALIDATORS.flatMap((each) => each.validate(bundle, values))];
}

/** Go iterates over maps in any order, and prints the wrong value of a CRD as a Go value. */
function normalize(text: string): string {
  const [, field] = /^Error: Field ([^,:]+)[,:]/.exec(text) ?? [];
  if (field !== undefined) return `CRD ${field}`;
  const [, before, list] = /^(.*Migrate the API\(s\) for )(.*)$/s.exec(text) ?? [];
  if (before !== undefined)
    return (
      before +
      list!
        .split("),")
        .map((each) => each.replace(/\)$/, ""))
        .sort()
        .join("),")
    );
  const [, head, channels, tail] = /^(.*channel\(s\) \[)(.*)(\] are not following.*)$/s.exec(text) ?? [];
  return head === undefined ? text : head + channels!.split(" ").sort().join(" ") + tail;
}
