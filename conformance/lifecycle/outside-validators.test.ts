/** The validators of operator-sdk that read more than the bundle: `community` a Dockerfile, `multiarch` images through `docker`. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BundleFinding, type InspectedImage, readBundleFolder, type ValidatorInputs } from "@pintle/lifecycle";
import { loadBundleManifests, OPTIONAL_VALIDATORS } from "@pintle/lifecycle/internal/validate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { findProgram } from "./build-programs.ts";

const operatorSdk = findProgram("operator-sdk");
type Json = Readonly<Record<string, unknown>>;

/** Answers `docker manifest inspect IMAGE` with a file; other images cannot be pulled. */
const DOCKER = `#!/bin/sh
for image; do :; done
file="$DOCKER_IMAGES/$(printf %s "$image" | tr '/:@' '___')"
test -f "$file" || { echo "no such image"; exit 1; }
test "$1" = pull || cat "$file"
`;

describe.runIf(operatorSdk !== undefined)(`validators that read more than the bundle, seed ${seed}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-outside-"));
  beforeAll(() => {
    mkdirSync(join(scratch, "bin"));
    mkdirSync(join(scratch, "images"));
    writeFileSync(join(scratch, "bin/docker"), DOCKER);
    chmodSync(join(scratch, "bin/docker"), 0o755);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  const compare = (name: string, folder: string, values: Readonly<Record<string, string>>, inputs: ValidatorInputs) => {
    const pairs = Object.entries(values).map(([key, value]) => `--optional-values=${key}=${value}`);
    const args = ["validate", folder, "--select-optional", `name=${name}`, "-o", "json-alpha1", ...pairs];
    const env = { PATH: `${join(scratch, "bin")}:${process.env["PATH"]}`, DOCKER_IMAGES: join(scratch, "images") };
    const { stdout } = spawnSync(operatorSdk!, args, { encoding: "utf8", cwd: scratch, env });
    const { outputs } = JSON.parse(stdout) as { readonly outputs: readonly { readonly type: string; readonly message: string }[] | null };
    const bundle = loadBundleManifests(readBundleFolder(folder));
    if ("problems" in bundle) throw new Error(bundle.problems.join());
    const own = OPTIONAL_VALIDATORS.find((each) => each.name === name)!.validate(bundle, values, inputs);
    const shown = own.map(({ level, message }: BundleFinding) => `${level}: ${message}`).sort();
    // Beside these it runs its default validators, whose findings are compared elsewhere.
    const theirs = (outputs ?? []).map(({ type, message }) => `${type}: ${message}`);
    const isOfValidator = (text: string) => OWN_TEXTS[name]!.test(text);
    expect({ folder, values, findings: shown }).toEqual({ folder, values, findings: theirs.filter(isOfValidator).sort() });
    return shown;
  };

  test("community has the same errors and warnings", () => {
    const versions = ["4.8", "v4.8", "4.8.3", "4.9", "4.10", "x", ""];
    const annotations = [
      undefined,
      "[]",
      "{}",
      "null",
      '[{"type":"olm.maxOpenShiftVersion","value":5}]',
      '[{"Type":"other","value":"1"}]',
      ...versions.map((value) => JSON.stringify([{ type: "olm.maxOpenShiftVersion", value }])),
    ];
    const labels = ["=v4.6-v4.8", '="4.6-4.9"', "=4.5", "==v4.9", "=='4.8'", "=4.6-x", "=", "", "==y", "=v4.6,v4.7"];
    const seen = new Set<string>();
    const run = (olm: string | undefined, file: string | undefined, uses: boolean) => {
      const folder = writeBundle(join(scratch, "community"), {
        annotations: olm === undefined ? {} : { "olm.properties": olm },
        others: uses ? [{ apiVersion: "rbac.authorization.k8s.io/v1beta1", kind: "Role", metadata: { name: "old" } }] : [],
      });
      const indexFile = file === undefined ? undefined : { text: file };
      if (file !== undefined) writeFileSync(join(scratch, "bundle.Dockerfile"), file);
      const values = file === undefined ? {} : { "index-path": "bundle.Dockerfile" };
      for (const text of compare("community", folder, values as Record<string, string>, { indexFile })) seen.add(text);
      rmSync(folder, { recursive: true });
    };
    run(undefined, undefined, false);
    for (const olm of annotations) run(olm, undefined, true);
    const good = JSON.stringify([{ type: "olm.maxOpenShiftVersion", value: "4.8" }]);
    for (const label of labels) run(good, `FROM scratch\nLABEL com.redhat.openshift.versions${label}\n`, true);
    run(good, "FROM scratch\n", true);
    const folder = writeBundle(join(scratch, "missing"), {
      others: [{ apiVersion: "rbac.authorization.k8s.io/v1beta1", kind: "Role", metadata: { name: "old" } }],
    });
    compare("community", folder, { "index-path": "none" }, {});
    compare("community", folder, { "index-path": "images" }, { indexFile: { problem: "folder", error: "" } });
    expect(seen.size).toBeGreaterThan(14);
  });

  test("multiarch has the same errors and warnings", () => {
    const { pick, chance } = createRandom(seed);
    const PLATFORMS = ["linux/amd64", "linux/arm64", "linux/s390x", "windows/amd64"];
    const kinds = new Set<string>();
    for (let i = 0; i < (full ? 300 : 40); i++) {
      const inspected = new Map<string, InspectedImage>();
      rmSync(join(scratch, "images"), { recursive: true });
      mkdirSync(join(scratch, "images"));
      for (const image of ["example.com/manager:1", "example.com/proxy:1", "example.com/other@sha256:ab", "example.com/related:2"]) {
        if (chance(0.15)) {
          inspected.set(image, { error: `docker pull ${image} failed with error: (exit status 1) no such image\n` });
          continue;
        }
        const platforms = PLATFORMS.filter((_, index) => chance(index === 0 ? 0.9 : 0.4)).map((text) => {
          const [os = "", architecture = ""] = text.split("/");
          return { os, architecture };
        });
        inspected.set(image, platforms);
        writeFileSync(
          join(scratch, "images", image.replaceAll(/[/:@]/g, "_")),
          JSON.stringify({ manifests: platforms.map((platform) => ({ platform })) }),
        );
      }
      const labels = Object.fromEntries(
        ["arch.amd64", "arch.arm64", "os.linux", "os.windows"]
          .filter(() => chance(0.4))
          .map((label) => [`operatorframework.io/${label}`, pick(["supported", "supported", "no"])]),
      );
      const expressions = [
        { key: "kubernetes.io/arch", operator: pick(["In", "NotIn"]), values: ["amd64", "arm64"].filter(() => chance(0.7)) },
        { key: "kubernetes.io/os", operator: "In", values: ["linux"] },
      ];
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] } };
      const folder = writeBundle(join(scratch, `multiarch-${i}`), {
        labels,
        relatedImages: chance(0.5) ? [{ name: "related", image: "example.com/related:2" }] : [],
        pods: [
          {
            containers: [
              { name: pick(["manager", "main"]), image: "example.com/manager:1" },
              ...(chance(0.5) ? [{ name: "kube-rbac-proxy", image: "example.com/proxy:1" }] : []),
              ...(chance(0.5) ? [{ name: "other", image: "example.com/other@sha256:ab" }] : []),
            ],
            ...(chance(0.6) ? { affinity: { nodeAffinity } } : {}),
          },
          ...(chance(0.2) ? [{ containers: [{ name: "other", image: "example.com/other@sha256:ab" }] }] : []),
        ],
      });
      for (const text of compare("multiarch", folder, {}, { images: inspected })) kinds.add(text.slice(0, 60));
      rmSync(folder, { recursive: true });
    }
    compare("multiarch", writeBundle(join(scratch, "tool"), {}), { "container-tools": "buildah" }, {});
    expect(kinds.size).toBeGreaterThan(5);
  });
});

/** What tells the findings of a validator from those of the default ones. */
const OWN_TEXTS: Readonly<Record<string, RegExp>> = {
  community:
    /v1\.22|index image|\.olm\.properties|"olm\.properties"|specified for olm|olm\.maxOpenShiftVersion|com\.redhat\.openshift\.versions/,
  multiarch: /inspect the image|CSV labels|missing the label|should not support|node affinity|container-tools/,
};

interface BundleParts {
  readonly annotations?: Json;
  readonly labels?: Json;
  readonly others?: readonly Json[];
  readonly pods?: readonly Json[];
  readonly relatedImages?: readonly Json[];
}

function writeBundle(folder: string, { annotations = {}, labels = {}, others = [], pods = [], relatedImages = [] }: BundleParts): string {
  mkdirSync(join(folder, "manifests"), { recursive: true });
  mkdirSync(join(folder, "metadata"));
  const deployments = pods.map((spec, i) => ({
    name: `d${i}`,
    spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec } },
  }));
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "shop.v1.0.0", labels, annotations },
    spec: {
      version: "1.0.0",
      installModes: [{ type: "AllNamespaces", supported: true }],
      install: { strategy: "deployment", spec: { deployments } },
      relatedImages,
    },
  };
  const metadata = {
    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
    "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
    "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
    "operators.operatorframework.io.bundle.package.v1": "shop",
    "operators.operatorframework.io.bundle.channels.v1": "stable",
  };
  writeFileSync(join(folder, "manifests/csv.yaml"), JSON.stringify(csv));
  for (const [i, object] of others.entries()) writeFileSync(join(folder, `manifests/other-${i}.yaml`), JSON.stringify(object));
  writeFileSync(join(folder, "metadata/annotations.yaml"), JSON.stringify({ annotations: metadata }));
  return folder;
}
