import { createHash } from "node:crypto";
import type { SbomComponent } from "@pintle/lifecycle";
import { npmPurl } from "@pintle/lifecycle/internal/sbom";
import type { BundledPackage } from "../image/index.ts";

/** What the image of an operator contains: the packages whose code was bundled, and the base image. */
export function listProgramComponents(packages: readonly BundledPackage[], bases: readonly string[]): readonly SbomComponent[] {
  return [
    ...bases.map((name): SbomComponent => {
      const [, version] = /@(sha256:[0-9a-f]{64})$/.exec(name) ?? [];
      return { kind: "operating-system", name: name.split("@sha256:")[0]!, ...(version === undefined ? {} : { version }) };
    }),
    ...packages.map(
      ({ name, version, license }): SbomComponent => ({
        kind: "library",
        name,
        version,
        purl: npmPurl(name, version),
        ...(license === undefined ? {} : { license }),
      }),
    ),
  ];
}

/** What a bundle contains: its files, and the images that it installs. */
export function listBundleComponents(files: ReadonlyMap<string, Uint8Array>, images: readonly string[]): readonly SbomComponent[] {
  return [
    ...[...files].map(([name, bytes]): SbomComponent => ({ kind: "file", name, sha256: createHash("sha256").update(bytes).digest("hex") })),
    ...images.map((name): SbomComponent => ({ kind: "container", name, isReferred: true })),
  ];
}
