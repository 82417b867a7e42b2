import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBundleFolder, runBuiltInTest, type ScorecardResult } from "@pintle/lifecycle";
import { createTestList, formatScorecardText } from "@pintle/lifecycle/internal/scorecard";
import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { findProgram } from "./build-programs.ts";
import { mutateValue } from "./mutate-value.ts";
import { listPublishedBundles } from "./published.ts";
import { BUNDLE_WORDS, SAMPLE_BUNDLE, writeBundle } from "./sample-bundle.ts";

const operatorSdk = findProgram("operator-sdk");
/** In the order of the program. */
const TESTS = [
  ...["basic-check-spec", "olm-bundle-validation", "olm-crds-have-validation", "olm-crds-have-resources", "olm-spec-descriptors"],
  "olm-status-descriptors",
];
/** Its checks of whole bundles are those of another version of the operator-framework API than `bundle validate` is compared with. */
const OTHER_VERSION = "olm-bundle-validation";
const EXAMPLE = {
  "alm-examples": JSON.stringify([
    { apiVersion: "example.com/v1", kind: "Op", metadata: { name: "a" }, spec: { size: 1 }, status: { ready: 1 } },
    { apiVersion: "example.com/v1", kind: "Op", metadata: { name: "b" } },
  ]),
};

describe.runIf(operatorSdk !== undefined)(`scorecard, seed ${seed}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-scorecard-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const states = new Map<string, number>();

  /** Compares all tests; false if operator-sdk cannot read the bundle. */
  const compare = (folder: string): boolean => {
    let theirs: readonly { readonly results: readonly [ScorecardResult] }[];
    try {
      theirs = JSON.parse(
        execFileSync(operatorSdk!, ["scorecard", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 30 }),
      );
    } catch {
      return false;
    }
    const files = readBundleFolder(folder);
    for (const [i, { results }] of theirs.entries()) {
      const own = runBuiltInTest(TESTS[i]!, files);
      states.set(`${TESTS[i]} ${own.state}`, (states.get(`${TESTS[i]} ${own.state}`) ?? 0) + 1);
      if (TESTS[i] !== OTHER_VERSION) expect({ folder, ...normalize(own) }).toEqual({ folder, ...normalize(results[0]) });
    }
    return true;
  };

  test("published bundles get the same states, errors and suggestions", { timeout: 900_000 }, () => {
    const folders = listPublishedBundles().filter((folder) => existsSync(join(folder, "manifests")));
    const sample = full ? folders : folders.filter((_, i) => i % 4 === 0);
    expect(sample.filter(compare).length).toBeGreaterThan(5);
  });

  test("changed bundles get the same states, errors and suggestions", { timeout: 900_000 }, () => {
    const random = createRandom(seed);
    const csv = SAMPLE_BUNDLE["manifests/csv.yaml"] as { readonly metadata: { readonly annotations: object } };
    const withExamples = { ...csv, metadata: { ...csv.metadata, annotations: { ...csv.metadata.annotations, ...EXAMPLE } } };
    for (let i = 0; i < (full ? 1000 : 40); i++) {
      const folder = join(scratch, String(i));
      const bundle = { ...SAMPLE_BUNDLE, "manifests/csv.yaml": withExamples } as typeof SAMPLE_BUNDLE;
      writeBundle(folder, i === 0 ? bundle : mutateValue(bundle, BUNDLE_WORDS, random));
      compare(folder);
      rmSync(folder, { recursive: true, force: true });
    }
    expect([...states.keys()]).toEqual(
      expect.arrayContaining(["olm-spec-descriptors fail", "olm-crds-have-resources fail", "basic-check-spec pass"]),
    );
  });

  test("the text of a result is that of operator-sdk", () => {
    const list = createTestList([
      {
        spec: { image: "example.com/test:1", entrypoint: ["a", "b"], labels: { suite: "s" }, storage: { spec: { mountPath: {} } } },
        results: [
          { name: "one", state: "fail", errors: ["e1", "e2"], suggestions: ["s1"], log: "line 1\nline 2\n", creationTimestamp: null },
          { state: "pass", creationTimestamp: null },
        ],
      },
    ]);
    expect(formatScorecardText(list)).toBe(execFileSync(operatorSdk!, ["text"], { input: JSON.stringify(list), encoding: "utf8" }));
  });
});

/** Go iterates over fields in any order, and its own parsers word their errors. */
function normalize({ state, errors = [], suggestions = [] }: ScorecardResult) {
  const words = (texts: readonly string[]) =>
    texts.map((text) => text.replace(/(failed to parse alm-examples annotation).*/s, "$1")).sort();
  return { state, errors: words(errors), suggestions: words(suggestions) };
}
