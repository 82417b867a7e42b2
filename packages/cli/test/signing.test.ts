import { rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startRegistryServer } from "../src/local-cluster/index.ts";
import { renderShopCatalog } from "./shop-catalog.ts";
import { createTestProject, shopProject } from "./test-project.ts";

const PLAIN = "--insecure-registry";

/** Vouches for https://ci.example.com/shop, and matches identities as the package does. */
const STAND_IN = `
exports.attest = async (payload, payloadType) => ({
  mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
  verificationMaterial: { certificate: {} },
  dsseEnvelope: { payload: payload.toString("base64"), payloadType, signatures: [{ sig: "" }] },
});
exports.verify = async (bundle, { certificateIdentityURI, certificateIssuer }) => {
  if (!"https://ci.example.com/shop".match(certificateIdentityURI)) throw new Error("another identity");
};
`;

const CATALOG = renderShopCatalog(["1.0.0"]);

describe("signed images", () => {
  let server: Awaited<ReturnType<typeof startRegistryServer>>;
  beforeEach(async () => {
    server = await startRegistryServer();
    vi.stubEnv("COSIGN_PASSWORD", "pw");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server[Symbol.asyncDispose]();
  });

  test("a bundle is signed with its SBOM and provenance, and verify demands what a policy says", { timeout: 60_000 }, async () => {
    using project = createTestProject(shopProject());
    expect((await project.pintle("sign", "--create-key")).out).toBe("created  cosign.key\ncreated  cosign.pub\n");
    expect(project.read("cosign.key")).toContain("ENCRYPTED SIGSTORE PRIVATE KEY");
    expect(await project.pintle("sign", "--create-key")).toMatchObject({ code: 1, err: expect.stringContaining("cosign.key exists") });
    await project.pintle("sign", "--create-key", "other");
    const image = `${server.host}/shop-bundle:1`;
    const pushed = await project.pintle("bundle", image, PLAIN, "--push", "--sign", "--sbom", "--provenance", "-o", "json");
    expect({ code: pushed.code, err: pushed.err }).toMatchObject({ code: 0 });
    const { digest, attached } = JSON.parse(pushed.out) as { readonly digest: string; readonly attached: readonly string[] };
    expect(attached).toEqual(["signature", "https://spdx.dev/Document", "https://cyclonedx.org/bom", "https://slsa.dev/provenance/v1"]);

    const verified = await project.pintle("verify", image, PLAIN, "--require", "sbom,provenance", "-o", "json");
    expect({ code: verified.code, ...JSON.parse(verified.out) }).toMatchObject({ code: 0, verified: true, digest, problems: [] });
    const builder = ["--builder", "https://pintle.dev/builders/local"];
    expect(await project.pintle("verify", `${server.host}/shop-bundle@${digest}`, PLAIN, ...builder)).toMatchObject({ code: 0 });
    expect(await project.pintle("verify", image, PLAIN, "--builder", "https://ci")).toMatchObject({
      code: 1,
      err: expect.stringContaining("https://ci"),
    });
    expect(await project.pintle("verify", image, PLAIN, "--source", "git+https://x")).toMatchObject({ code: 1 });
    const other = await project.pintle("verify", image, PLAIN, "--key", "other.pub", "-o", "json");
    expect({ code: other.code, ...JSON.parse(other.out) }).toMatchObject({
      code: 1,
      verified: false,
      problems: ["no signature by the key or identity"],
    });
    expect(await project.pintle("verify", image, PLAIN, "--key", "other.pub", "--key", "cosign.pub")).toMatchObject({ code: 0 });
    expect(await project.pintle("verify", image, PLAIN, "--key", "cosign.key")).toMatchObject({
      code: 1,
      err: expect.stringContaining("public key"),
    });
    expect(await project.pintle("verify", image, PLAIN, "--require", "cake")).toMatchObject({ code: 2 });
  });

  test("any image in a registry is signed after it was pushed, with claims from files", { timeout: 60_000 }, async () => {
    using project = createTestProject(shopProject());
    await project.pintle("sign", "--create-key");
    const image = `${server.host}/shop-bundle:1`;
    await project.pintle("bundle", image, PLAIN, "--push");
    expect(await project.pintle("verify", image, PLAIN)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no signature by the key or identity"),
    });
    project.write("claim.json", '{"tested":true}');
    const signed = await project.pintle("sign", image, PLAIN, "--attest", "https://acme.example.com/tested=claim.json");
    expect({ code: signed.code, err: signed.err }).toMatchObject({ code: 0 });
    const { out } = await project.pintle("verify", image, PLAIN, "-o", "json");
    expect(JSON.parse(out)).toMatchObject({ verified: true, attestations: [{ predicateType: "https://acme.example.com/tested" }, {}] });
    expect(await project.pintle("sign", image, PLAIN, "--attest", "sbom")).toMatchObject({ code: 2 });
    expect(await project.pintle("sign", `${server.host}/none:1`, PLAIN)).toMatchObject({ code: 1, err: expect.stringContaining("404") });
  });

  test("signing with an identity needs the package sigstore, and verify passes it the exact identity", { timeout: 60_000 }, async () => {
    using project = createTestProject(shopProject());
    const image = `${server.host}/shop-bundle:1`;
    await project.pintle("bundle", image, PLAIN, "--push");
    const hint = expect.stringContaining("npm install --save-dev sigstore");
    expect(await project.pintle("sign", image, PLAIN, "--keyless")).toMatchObject({ code: 1, err: hint });
    const identity = ["--certificate-identity", "https://ci.example.com/shop", "--certificate-oidc-issuer", "https://issuer.example.com"];
    expect(await project.pintle("verify", image, PLAIN, ...identity)).toMatchObject({ code: 1, err: hint });
    expect(await project.pintle("verify", image, PLAIN, ...identity.slice(0, 2))).toMatchObject({ code: 2 });

    // Stands for the package, which needs the network of Sigstore.
    project.write("node_modules/sigstore/package.json", '{"name":"sigstore","main":"index.js"}');
    project.write("node_modules/sigstore/index.js", STAND_IN);
    expect(await project.pintle("sign", image, PLAIN, "--keyless")).toMatchObject({ code: 0 });
    expect(await project.pintle("verify", image, PLAIN, ...identity)).toMatchObject({ code: 0 });
    const others = identity.map((word) => word.replace("ci.example.com", "ci-example.com"));
    expect(await project.pintle("verify", image, PLAIN, ...others)).toMatchObject({
      code: 1,
      err: expect.stringContaining("another identity"),
    });
    await project.pintle("sign", "--create-key");
    expect(await project.pintle("verify", image, PLAIN)).toMatchObject({ code: 1 });
  });

  test("a copy of a catalog keeps the signatures and SBOMs of its images, also through a folder", { timeout: 60_000 }, async () => {
    using project = createTestProject(shopProject());
    await project.pintle("sign", "--create-key");
    const bundle = `${server.host}/shop-bundle:1`;
    await project.pintle("bundle", bundle, PLAIN, "--push", "--sign", "--sbom", "--provenance");
    project.write("catalog/shop.yaml", CATALOG.replace("example.com/shop-bundle:1.0.0", bundle));
    await project.pintle("catalog", "build", "catalog", `${server.host}/catalog:v1`, PLAIN, "--push", "--sign");

    const out = await project.pintle("catalog", "copy", `${server.host}/catalog:v1`, "oci:mirror", PLAIN, "-o", "json");
    expect({ code: out.code, err: out.err }).toEqual({ code: 0, err: "" });
    const { images } = JSON.parse(out.out) as { readonly images: readonly { readonly from: string; readonly attachments: number }[] };
    // A signature each, as a referrer and as a tag of cosign; of the bundle also two SBOMs and its provenance.
    expect(images.map(({ from, attachments }) => [from, attachments > 0])).toEqual([
      [`${server.host}/catalog:v1`, true],
      [bundle, true],
    ]);
    await using other = await startRegistryServer();
    const back = await project.pintle("catalog", "copy", "oci:mirror", `${other.host}/mirror`, PLAIN);
    expect(back).toMatchObject({ code: 0, out: expect.stringMatching(/2 images and \d+ signatures, SBOMs or attestations/) });
    const required = ["--require", "sbom,provenance"];
    expect(await project.pintle("verify", `${other.host}/mirror/shop-bundle:1`, PLAIN, ...required)).toMatchObject({ code: 0 });
    expect(await project.pintle("verify", `${other.host}/mirror/catalog:v1`, PLAIN)).toMatchObject({ code: 0 });

    await project.pintle("catalog", "copy", "oci:mirror", `${other.host}/bare`, PLAIN, "--images-only");
    expect(await project.pintle("verify", `${other.host}/bare/shop-bundle:1`, PLAIN)).toMatchObject({ code: 1 });
  });

  test("a catalog is signed, and its SBOM names its files and the images that it refers to", { timeout: 60_000 }, async () => {
    using project = createTestProject({ "catalog/shop.yaml": CATALOG });
    await project.pintle("sign", "--create-key");
    const image = `${server.host}/catalog:v1`;
    const words = ["catalog", "build", "catalog", image, PLAIN, "--push", "--sign", "--sbom", "--provenance", "-o", "json"];
    const built = await project.pintle(...words);
    expect({ code: built.code, err: built.err }).toMatchObject({ code: 0 });
    expect(await project.pintle("verify", image, PLAIN, "--require", "sbom,provenance")).toMatchObject({ code: 0 });
    const { openImage, readPublicKey, verifyImage } = await import("@pintle/lifecycle");
    const { images, reference } = await openImage(image, { cwd: ".", signal: AbortSignal.timeout(30_000), insecure: () => true });
    const { digest } = await images.manifest(reference);
    const { attestations } = await verifyImage(images, digest, { keys: [readPublicKey(project.read("cosign.pub"))] });
    const spdx = JSON.stringify(attestations.find(({ predicateType }) => predicateType === "https://spdx.dev/Document"));
    expect(spdx).toContain("configs/shop.yaml");
    expect(spdx).toContain("example.com/shop-bundle:1.0.0");
  });

  test("nothing is built or pushed if the image could not be signed", async () => {
    using project = createTestProject(shopProject());
    const image = `${server.host}/shop-bundle:1`;
    expect(await project.pintle("bundle", image, "--sign")).toMatchObject({ code: 2, err: expect.stringContaining("add --push") });
    expect(await project.pintle("build", image, "--push", "--provenance")).toMatchObject({
      code: 2,
      err: expect.stringContaining("add --sign"),
    });
    expect(await project.pintle("bundle", image, "--push", "--sign")).toMatchObject({
      code: 2,
      err: expect.stringContaining("cosign.key"),
    });
    expect(await project.pintle("build", image, "--push", "--sign", "--key", "env://NO_SUCH_KEY")).toMatchObject({ code: 2 });
    await project.pintle("sign", "--create-key");
    vi.stubEnv("COSIGN_PASSWORD", "wrong");
    expect(await project.pintle("bundle", image, "--push", "--sign")).toMatchObject({
      code: 1,
      err: expect.stringContaining("password is wrong"),
    });
    expect(project.files().some((file) => file.startsWith("bundle/"))).toBe(false);
    rmSync(path.join(project.root, "cosign.key"));
  });

  test("the image of the operator has an SBOM of the packages that were bundled", { timeout: 60_000 }, async () => {
    using project = createTestProject(shopProject());
    await project.pintle("sign", "--create-key");
    const image = `${server.host}/shop:1`;
    project.write("rootfs/usr/local/bin/node", "stands for Node");
    const built = await project.pintle("build", image, PLAIN, "--base", "rootfs:rootfs", "--push", "--sign", "--sbom", "-o", "json");
    expect({ code: built.code, err: built.err }).toMatchObject({ code: 0 });
    const { openImage, readPublicKey, verifyImage } = await import("@pintle/lifecycle");
    const { images, reference } = await openImage(image, { cwd: ".", signal: AbortSignal.timeout(30_000), insecure: () => true });
    const { digest } = await images.manifest(reference);
    const { attestations } = await verifyImage(images, digest, { keys: [readPublicKey(project.read("cosign.pub"))] });
    const { packages } = attestations.find(({ predicateType }) => predicateType.includes("spdx"))!.predicate as {
      readonly packages: readonly { readonly name: string; readonly versionInfo?: string; readonly licenseDeclared: string }[];
    };
    const named = (name: string) => packages.find((each) => each.name === name);
    expect(named("@acme/shop")).toMatchObject({ versionInfo: "1.2.3" });
    expect(named("zod")).toMatchObject({ licenseDeclared: "MIT" });
    expect(named("pintle")).toMatchObject({ licenseDeclared: "Apache-2.0" });
  });
});
