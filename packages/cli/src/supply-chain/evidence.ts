import type { KeyObject } from "node:crypto";
import type { Attestation, SbomComponent } from "@pintle/lifecycle";
import { CommandError, type Io, withProgress } from "../command/index.ts";
import type { Image, Repository } from "../image/index.ts";
import { readKeyFile, readKeyPassword } from "./key-files.ts";
import { readSourceRevision } from "./source-revision.ts";

/** The options of commands that publish images. */
export const EVIDENCE_OPTIONS = {
  sign: { type: "boolean" },
  key: { type: "string" },
  sbom: { type: "boolean" },
  provenance: { type: "boolean" },
} as const;
export const EVIDENCE_DESCRIPTIONS = {
  sign: "sign the pushed image as cosign does, with --key",
  key: "private key: a file, or env://VARIABLE; its password is read from COSIGN_PASSWORD (default: cosign.key)",
  sbom: "attach bills of materials to the pushed image, as SPDX and CycloneDX; signed with --sign",
  provenance: "attach signed SLSA provenance to the pushed image; needs --sign",
} as const;

/** The artifacts to publish beside an image. */
export interface EvidenceChoice {
  readonly key: KeyObject | undefined;
  readonly sbom: boolean;
  readonly provenance: boolean;
}

/** Reads the options before anything is built; undefined if none is set. */
export async function readEvidenceChoice(
  values: Readonly<Record<string, string | boolean | undefined>>,
  cwd: string,
): Promise<EvidenceChoice | undefined> {
  const { sign = false, key: source = "cosign.key", sbom = false, provenance = false, push = false } = values;
  if (!sign && !sbom && !provenance) return undefined;
  if (push !== true) {
    throw new CommandError("PINTLE8060", "signatures and bills of materials are stored beside the image in its registry: add --push", 2);
  }
  if (provenance === true && sign !== true)
    throw new CommandError("PINTLE8060", "provenance is of use only if it is signed: add --sign", 2);
  const { readSigningKey } = await import("@pintle/lifecycle");
  const key = sign === true ? readSigningKey(readKeyFile(String(source), cwd), readKeyPassword()) : undefined;
  return { key, sbom: sbom === true, provenance: provenance === true };
}

/** The content and origin of a pushed image. */
export interface Evidence {
  readonly repository: Repository;
  readonly image: Image;
  readonly version: string;
  readonly components: readonly SbomComponent[];
  /** The command with its options, and the folder of its project. */
  readonly build: {
    readonly command: string;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly root: string;
    readonly startedAt: Date;
  };
  readonly tool: string;
}

/** Signs an image and publishes the chosen artifacts. Returns a line about each of them. */
export async function publishEvidence(io: Io, choice: EvidenceChoice, evidence: Evidence): Promise<readonly string[]> {
  const { createCycloneDx, createSpdx } = await import("@pintle/lifecycle/internal/sbom");
  const { attachReferrer, PREDICATE_TYPES, signImage } = await import("@pintle/lifecycle/internal/signing");
  const { repository, image, version, components, tool } = evidence;
  const { mediaType, digest, size } = image.root;
  const subject = { name: repository.name, mediaType, digest, size };
  const now = currentTime();
  const sbom = { name: repository.name, version, digest, components, created: now, tool };
  const documents = choice.sbom
    ? [
        { predicateType: PREDICATE_TYPES.spdx, predicate: createSpdx(sbom), artifactType: "application/spdx+json" },
        { predicateType: PREDICATE_TYPES.cyclonedx, predicate: createCycloneDx(sbom), artifactType: "application/vnd.cyclonedx+json" },
      ]
    : [];
  for (const { artifactType, predicate } of documents) {
    const content = Buffer.from(JSON.stringify(predicate));
    const annotations = { "org.opencontainers.image.created": now.toISOString().replace(/\.\d+Z$/, "Z") };
    await withProgress(io, "attaching the bill of materials", attachReferrer(repository, subject, { artifactType, content, annotations }));
  }
  if (choice.key === undefined) return documents.map(({ artifactType }) => artifactType);
  const attestations: Attestation[] = [
    ...documents,
    ...(choice.provenance ? [{ predicateType: PREDICATE_TYPES.provenance, predicate: await describeBuild(evidence) }] : []),
  ];
  await withProgress(io, `signing ${repository.name}@${digest}`, signImage(repository, subject, { key: choice.key, attestations, now }));
  return ["signature", ...attestations.map(({ predicateType }) => predicateType)];
}

async function describeBuild({ components, build, tool }: Evidence): Promise<Readonly<Record<string, unknown>>> {
  const { createProvenance } = await import("@pintle/lifecycle/internal/signing");
  const { env } = process;
  const run = env["GITHUB_RUN_ID"] === undefined ? undefined : `${env["GITHUB_SERVER_URL"]}/${env["GITHUB_REPOSITORY"]}`;
  return createProvenance({
    parameters: { command: build.command, ...build.parameters },
    builderId: run === undefined ? "https://pintle.dev/builders/local" : `${env["GITHUB_SERVER_URL"]}/${env["GITHUB_WORKFLOW_REF"]}`,
    builderVersion: tool,
    source: await readSourceRevision(build.root),
    materials: components.filter(({ kind }) => kind !== "file").map(({ name, version, purl }) => describeMaterial(name, version, purl)),
    startedAt: build.startedAt,
    finishedAt: currentTime(),
    ...(run === undefined ? {} : { invocationId: `${run}/actions/runs/${env["GITHUB_RUN_ID"]}/attempts/${env["GITHUB_RUN_ATTEMPT"]}` }),
  });
}

function describeMaterial(name: string, version: string | undefined, purl: string | undefined) {
  const [, sha256] = /^sha256:([0-9a-f]{64})$/.exec(version ?? "") ?? [];
  const uri = purl ?? (sha256 === undefined ? encodeURI(name) : `docker://${name}@${version}`);
  return { uri, ...(sha256 === undefined ? {} : { digest: { sha256 } }) };
}

/** The time, which SOURCE_DATE_EPOCH fixes for reproducible builds. */
function currentTime(): Date {
  const epoch = process.env["SOURCE_DATE_EPOCH"];
  return epoch === undefined || !/^\d+$/.test(epoch) ? new Date() : new Date(Number(epoch) * 1000);
}
