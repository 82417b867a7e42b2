/** cosign verifies what Pintle signs, and the other way round, with keys and images in a registry of Debian. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSpdx } from "@pintle/lifecycle";
import {
  createBlob,
  createJsonBlob,
  MEDIA_TYPES,
  openRepository,
  parseImageReference,
  pushImage,
  toDescriptor,
} from "@pintle/lifecycle/internal/image";
import {
  createKeyPair,
  createProvenance,
  PREDICATE_TYPES,
  readPublicKey,
  readSigningKey,
  signImage,
  verifyImage,
} from "@pintle/lifecycle/internal/signing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "./build-programs.ts";
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from "./docker-registry.ts";

const cosign = findProgram("cosign");
const canRun = hasDockerRegistry() && cosign !== undefined;
const NOW = new Date("2030-01-01T00:00:00Z");
const PASSWORD = "pw";
/** No transparency log: keys are verified offline. */
const OFFLINE = ["--insecure-ignore-tlog=true", "--allow-http-registry"];
const UPLOAD = ["--yes", "--tlog-upload=false", "--use-signing-config=false", "--allow-http-registry"];

describe.runIf(canRun)("signatures and cosign", () => {
  const folder = mkdtempSync(join(tmpdir(), "pintle-signing-"));
  const at = (name: string) => join(folder, name);
  let registry: DockerRegistry;
  beforeAll(async () => {
    registry = await startDockerRegistry();
    const { privateKey, publicKey } = createKeyPair(PASSWORD);
    writeFileSync(at("own.key"), privateKey);
    writeFileSync(at("own.pub"), publicKey);
    await run("generate-key-pair", "--output-key-prefix", at("theirs"));
    await run("trusted-root", "create", "--out", at("root.json"));
    writeFileSync(at("predicate.json"), JSON.stringify({ answer: 42 }));
  });
  afterAll(async () => {
    await registry?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (...words: string[]) => {
    const env = { ...process.env, COSIGN_PASSWORD: PASSWORD, HOME: folder };
    return (await promisify(execFile)(cosign ?? "", words, { env, cwd: folder })).stdout;
  };
  /** Formats of cosign: under tags, and as bundles that refer to the image. */
  const FORMATS = { tag: ["--new-bundle-format=false"], bundle: ["--new-bundle-format=true", "--trusted-root", at("root.json")] };
  const pushedImage = async (name: string) => {
    const layer = createBlob(MEDIA_TYPES.layer, Buffer.from(name));
    const config = createJsonBlob(MEDIA_TYPES.config, {
      os: "linux",
      architecture: "amd64",
      config: {},
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    });
    const root = createJsonBlob(MEDIA_TYPES.manifest, {
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.manifest,
      config: toDescriptor(config),
      layers: [toDescriptor(layer)],
    });
    const repository = openRepository(parseImageReference(`${registry.host}/${name}:1`), {
      insecure: true,
      signal: AbortSignal.timeout(60_000),
    });
    await pushImage(repository, { blobs: [layer, config], manifests: [root], root }, "1");
    return { repository, subject: { name: repository.name, ...toDescriptor(root) }, reference: `${repository.name}@${root.digest}` };
  };

  test("cosign verifies signatures, SBOMs and provenance of Pintle in both formats, and refuses them for other keys", async () => {
    const { repository, subject, reference } = await pushedImage("ours");
    const sbom = createSpdx({ name: subject.name, version: "1", digest: subject.digest, components: [], created: NOW, tool: "0" });
    const provenance = createProvenance({
      parameters: {},
      builderId: "https://example.com",
      builderVersion: "0",
      materials: [],
      startedAt: NOW,
      finishedAt: NOW,
    });
    const attestations = [
      { predicateType: PREDICATE_TYPES.spdx, predicate: sbom },
      { predicateType: PREDICATE_TYPES.provenance, predicate: provenance },
    ];
    await signImage(repository, subject, { key: readSigningKey(readFileSync(at("own.key"), "utf8"), PASSWORD), attestations, now: NOW });
    for (const format of Object.values(FORMATS)) {
      expect(await run("verify", "--key", at("own.pub"), ...OFFLINE, ...format, reference)).toContain(subject.digest);
      for (const type of ["spdxjson", "slsaprovenance1"]) {
        const [envelope = ""] = (
          await run("verify-attestation", "--type", type, "--key", at("own.pub"), ...OFFLINE, ...format, reference)
        ).split("\n");
        const { predicate } = JSON.parse(Buffer.from((JSON.parse(envelope) as { readonly payload: string }).payload, "base64").toString());
        expect(predicate).toEqual(JSON.parse(JSON.stringify(type === "spdxjson" ? sbom : provenance)));
      }
      await expect(run("verify", "--key", at("theirs.pub"), ...OFFLINE, ...format, reference)).rejects.toThrow();
    }
  });

  test("Pintle reads keys of cosign, and verifies its signatures and attestations in both formats", async () => {
    const { repository, subject, reference } = await pushedImage("theirs");
    const key = ["--key", at("theirs.key")];
    for (const format of ["false", "true"]) {
      await run("sign", ...UPLOAD, ...key, `--new-bundle-format=${format}`, reference);
      const predicate = ["--type", "https://example.com/claim", "--predicate", at("predicate.json")];
      await run("attest", ...UPLOAD, ...key, `--new-bundle-format=${format}`, ...predicate, reference);
    }
    const keys = [readPublicKey(readFileSync(at("theirs.pub"), "utf8"))];
    const { signatures, attestations, rejected } = await verifyImage(repository, subject.digest, { keys });
    expect({ formats: signatures.map(({ format }) => format).sort(), rejected }).toEqual({ formats: ["bundle", "tag"], rejected: [] });
    expect(attestations.map(({ predicateType, format }) => ({ predicateType, format }))).toEqual(
      ["tag", "bundle"].map((format) => ({ predicateType: "https://example.com/claim", format })),
    );
    expect(() => readSigningKey(readFileSync(at("theirs.key"), "utf8"), PASSWORD)).not.toThrow();
    const others = [readPublicKey(readFileSync(at("own.pub"), "utf8"))];
    expect(await verifyImage(repository, subject.digest, { keys: others })).toMatchObject({ signatures: [], attestations: [] });
  });

  test("both add to what the other one signed, and cosign refuses a signature that was moved to another image", async () => {
    const { repository, subject, reference } = await pushedImage("both");
    await run("sign", ...UPLOAD, "--key", at("own.key"), "--new-bundle-format=false", reference);
    await signImage(repository, subject, { key: readSigningKey(readFileSync(at("own.key"), "utf8"), PASSWORD), now: NOW });
    await run("sign", ...UPLOAD, "--key", at("own.key"), "--new-bundle-format=true", reference);
    const keys = [readPublicKey(readFileSync(at("own.pub"), "utf8"))];
    const { signatures, rejected } = await verifyImage(repository, subject.digest, { keys });
    expect({ formats: signatures.map(({ format }) => format).sort(), rejected }).toEqual({
      formats: ["bundle", "bundle", "tag", "tag"],
      rejected: [],
    });

    const second = await pushedImage("both");
    expect(second.subject.digest).toBe(subject.digest);
    const other = await pushedImage("both/moved");
    const moved = await repository.manifest(`${subject.digest.replace(":", "-")}.sig`);
    const blobs = JSON.parse(moved.text) as { readonly config: never; readonly layers: readonly never[] };
    for (const descriptor of [blobs.config, ...blobs.layers]) await other.repository.upload(repository.blob(descriptor));
    await other.repository.putManifest(
      createBlob(moved.mediaType, Buffer.from(moved.text)),
      `${other.subject.digest.replace(":", "-")}.sig`,
    );
    const refused = await verifyImage(other.repository, other.subject.digest, { keys });
    expect(refused).toMatchObject({
      signatures: [],
      rejected: [{ reason: expect.stringContaining("another image") }, { reason: expect.anything() }],
    });
    await expect(run("verify", "--key", at("own.pub"), ...OFFLINE, ...FORMATS.tag, other.reference)).rejects.toThrow();
  });
});
