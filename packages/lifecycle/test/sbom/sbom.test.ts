import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { describe, expect, test } from "vitest";
import { createCycloneDx, createSpdx, npmPurl, type SbomInput } from "../../src/sbom/index.ts";

const INPUT: SbomInput = {
  name: "ghcr.io/acme/shop",
  version: "1.0.0",
  digest: `sha256:${"ab".repeat(32)}`,
  created: new Date("2030-01-01T00:00:00.123Z"),
  tool: "0.1.0",
  components: [
    { kind: "operating-system", name: "docker.io/library/node:22-slim", version: `sha256:${"cd".repeat(32)}` },
    { kind: "library", name: "@acme/lib", version: "1.2.3", purl: npmPurl("@acme/lib", "1.2.3"), license: "(MIT OR Apache-2.0)" },
    { kind: "library", name: "odd", version: "0.1.0", purl: npmPurl("odd", "0.1.0"), license: "SEE LICENSE IN file <x>" },
    { kind: "library", name: "odd", version: "0.2.0", purl: npmPurl("odd", "0.2.0") },
    { kind: "file", name: "manifests/a.yaml", sha256: "ef".repeat(32) },
    { kind: "container", name: "nginx:1.27", isReferred: true },
  ],
};

describe("bills of materials", () => {
  test("CycloneDX is valid by the published schema of version 1.6", async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(JSON.stringify(createCycloneDx(INPUT)))).toBeNull();
    expect(await validator.validate(JSON.stringify({ ...createCycloneDx(INPUT), components: [{ type: "thing" }] }))).not.toBeNull();
  });

  test("SPDX describes the image, contains what is in it, and depends on what it refers to", () => {
    const document = createSpdx(INPUT) as unknown as {
      readonly packages: readonly { readonly SPDXID: string; readonly name: string; readonly licenseDeclared: string }[];
      readonly relationships: readonly { readonly relationshipType: string; readonly relatedSpdxElement: string }[];
    };
    expect(document).toMatchObject({ spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", creationInfo: { created: "2030-01-01T00:00:00Z" } });
    expect(new Set(document.packages.map(({ SPDXID }) => SPDXID)).size).toBe(document.packages.length);
    expect(document.packages.map(({ licenseDeclared }) => licenseDeclared)).toEqual([
      ...["NOASSERTION", "NOASSERTION", "(MIT OR Apache-2.0)", "NOASSERTION", "NOASSERTION", "NOASSERTION", "NOASSERTION"],
    ]);
    expect(document.relationships.map(({ relationshipType }) => relationshipType)).toEqual([
      "DESCRIBES",
      ...["CONTAINS", "CONTAINS", "CONTAINS", "CONTAINS", "CONTAINS", "DEPENDS_ON"],
    ]);
    expect(createSpdx(INPUT)).toEqual(createSpdx(structuredClone(INPUT)));
  });
});
