/** SPDX documents and SLSA provenance, checked by the validator of the SPDX project and by cosign, which has the types of in-toto. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSpdx, npmPurl } from "@pintle/lifecycle/internal/sbom";
import { createProvenance } from "@pintle/lifecycle/internal/signing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "./build-programs.ts";
import { findSpdxValidator } from "./spdx-tools.ts";

const scratch = mkdtempSync(join(tmpdir(), "pintle-documents-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const write = (name: string, document: object) => {
  const file = join(scratch, name);
  writeFileSync(file, JSON.stringify(document));
  return file;
};
const DIGEST = `sha256:${"ab".repeat(32)}`;
const NOW = new Date("2030-01-01T00:00:00.123Z");
const validateSpdx = findSpdxValidator();
const cosign = findProgram("cosign");

describe.runIf(validateSpdx !== undefined)("SPDX", () => {
  const document = createSpdx({
    name: "ghcr.io/acme/shop",
    version: "1.0.0",
    digest: DIGEST,
    created: NOW,
    tool: "0.1.0",
    components: [
      { kind: "operating-system", name: "docker.io/library/node:22-slim", version: `sha256:${"cd".repeat(32)}` },
      { kind: "library", name: "@acme/lib", version: "1.2.3", purl: npmPurl("@acme/lib", "1.2.3"), license: "(MIT OR Apache-2.0)" },
      { kind: "library", name: "odd", version: "0.1.0", purl: npmPurl("odd", "0.1.0"), license: "SEE LICENSE IN file <x>" },
      { kind: "file", name: "manifests/a.yaml", sha256: "ef".repeat(32) },
      { kind: "container", name: "nginx:1.27", isReferred: true },
    ],
  });

  test("documents are valid by the validator of the SPDX project", async () => {
    expect(await validateSpdx!(write("image.spdx.json", document))).toBe("");
  });

  test("the validator refuses a document whose relationships lead to nothing", async () => {
    expect(await validateSpdx!(write("bad.spdx.json", { ...document, packages: [] }))).toContain("did not find the referenced spdx_id");
  });
});

describe.runIf(cosign !== undefined)("SLSA provenance", () => {
  const provenance = createProvenance({
    parameters: { image: "ghcr.io/acme/shop:1.0.0" },
    builderId: "https://example.com/builder",
    builderVersion: "0.1.0",
    source: { uri: "git+https://example.com/acme/shop", commit: "ab".repeat(20), isDirty: true },
    materials: [{ uri: "pkg:npm/odd@0.1.0", digest: { sha256: "cd".repeat(32) } }],
    startedAt: NOW,
    finishedAt: NOW,
    invocationId: "https://example.com/runs/1",
  });
  const run = (...args: string[]) => {
    const env = { ...process.env, COSIGN_PASSWORD: "pw", HOME: scratch };
    return promisify(execFile)(cosign!, args, { env, cwd: scratch });
  };
  const key = join(scratch, "key");
  beforeAll(async () => void (await run("generate-key-pair", "--output-key-prefix", key)));
  /** Makes a statement of a predicate; cosign refuses one without the fields of its type. */
  const attest = async (predicate: object) => {
    const blob = write("blob.json", {});
    const options = ["--yes", "--tlog-upload=false", "--use-signing-config=false", "--new-bundle-format=false"];
    const type = ["--type", "slsaprovenance1", "--predicate", write("predicate.json", predicate)];
    const statement = join(scratch, "statement.json");
    await run("attest-blob", ...options, "--key", `${key}.key`, ...type, "--output-signature", statement, blob);
  };

  test("cosign accepts it as a predicate of slsaprovenance1", async () => {
    await expect(attest(provenance)).resolves.toBeUndefined();
  });

  test.each(["buildDefinition", "runDetails"])("cosign refuses it without %s", async (field) => {
    await expect(attest({ ...provenance, [field]: undefined })).rejects.toThrow(new RegExp(`required field ${field}`, "i"));
  });
});
