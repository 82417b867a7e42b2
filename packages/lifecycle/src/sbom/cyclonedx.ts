import { deriveUuid, formatTime, imagePurl, isLicenseExpression, type SbomComponent, type SbomInput } from "./component.ts";

/**
 * Creates a document of CycloneDX 1.6.
 *
 * @example
 * ```ts
 * import { createCycloneDx } from "@pintle/lifecycle";
 *
 * const image = { name: "ghcr.io/me/shop", version: "1.0.0", digest: `sha256:${"0".repeat(64)}` };
 * console.log(JSON.stringify(createCycloneDx({ ...image, components: [], created: new Date(), tool: "0.1.0" })));
 * ```
 */
export function createCycloneDx(input: SbomInput): Readonly<Record<string, unknown>> {
  const { name, version, digest, components, created, tool } = input;
  const root = imagePurl(input);
  const references = components.map((component, i) => component.purl ?? `component-${i}`);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${deriveUuid(`${digest} ${formatTime(created)}`)}`,
    version: 1,
    metadata: {
      timestamp: formatTime(created),
      tools: { components: [{ type: "application", name: "pintle", version: tool }] },
      component: { type: "container", "bom-ref": root, name, version, purl: root, hashes: [{ alg: "SHA-256", content: digest.slice(7) }] },
    },
    components: components.map((component, i) => describe(component, references[i]!)),
    dependencies: [
      { ref: root, dependsOn: [...new Set(references)].sort() },
      ...[...new Set(references)].sort().map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

function describe({ kind, name, version, purl, license, sha256, isReferred }: SbomComponent, reference: string) {
  return {
    type: kind,
    "bom-ref": reference,
    name,
    ...(version === undefined ? {} : { version }),
    ...(isReferred === true ? { scope: "excluded" } : {}),
    ...(sha256 === undefined ? {} : { hashes: [{ alg: "SHA-256", content: sha256 }] }),
    ...(license === undefined
      ? {}
      : { licenses: [isLicenseExpression(license) ? { expression: license } : { license: { name: license } }] }),
    ...(purl === undefined ? {} : { purl }),
  };
}
