import { deriveUuid, formatTime, imagePurl, isLicenseExpression, type SbomComponent, type SbomInput } from "./component.ts";

const ROOT = "SPDXRef-Image";
const PURPOSES: Readonly<Record<SbomComponent["kind"], string>> = {
  library: "LIBRARY",
  container: "CONTAINER",
  file: "FILE",
  "operating-system": "OPERATING-SYSTEM",
};

/**
 * Creates a document of SPDX 2.3.
 *
 * @example
 * ```ts
 * import { createSpdx } from "@pintle/lifecycle";
 *
 * const image = { name: "ghcr.io/me/shop", version: "1.0.0", digest: `sha256:${"0".repeat(64)}` };
 * console.log(JSON.stringify(createSpdx({ ...image, components: [], created: new Date(), tool: "0.1.0" })));
 * ```
 */
export function createSpdx(input: SbomInput): Readonly<Record<string, unknown>> {
  const { name, version, digest, components, created, tool } = input;
  const uuid = deriveUuid(`${digest} ${formatTime(created)}`);
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${name}@${digest}`,
    documentNamespace: `https://spdx.org/spdxdocs/${encodeURIComponent(name)}-${uuid}`,
    creationInfo: { created: formatTime(created), creators: [`Tool: pintle-${tool}`] },
    packages: [
      describe({ kind: "container", name, version, purl: imagePurl(input), sha256: digest.slice(7) }, ROOT),
      ...components.map((component, i) => describe(component, identifier(i))),
    ],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: ROOT },
      ...components.map(({ isReferred }, i) => ({
        spdxElementId: ROOT,
        relationshipType: isReferred === true ? "DEPENDS_ON" : "CONTAINS",
        relatedSpdxElement: identifier(i),
      })),
    ],
  };
}

function identifier(index: number): string {
  return `SPDXRef-Component-${index}`;
}

function describe({ kind, name, version, purl, license, sha256 }: SbomComponent, id: string) {
  return {
    SPDXID: id,
    name,
    ...(version === undefined ? {} : { versionInfo: version }),
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license !== undefined && isLicenseExpression(license) ? license : "NOASSERTION",
    copyrightText: "NOASSERTION",
    primaryPackagePurpose: PURPOSES[kind],
    ...(sha256 === undefined ? {} : { checksums: [{ algorithm: "SHA256", checksumValue: sha256 }] }),
    ...(purl === undefined
      ? {}
      : { externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }] }),
  };
}
