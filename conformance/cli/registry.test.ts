/** The loopback registry, used by skopeo. */
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createBlob, createJsonBlob, MEDIA_TYPES, toDescriptor, writeLayout } from "@pintle/lifecycle/internal/image";
import { expect, test } from "vitest";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";

const hasSkopeo = spawnSync("skopeo", ["--version"]).status === 0;
if (!hasSkopeo) console.warn("\n!!! SKIPPED: no skopeo on the PATH, so the registry was not tested. Debian has it.\n");
const skopeo = (...words: string[]) => promisify(execFile)("skopeo", words);

test.skipIf(!hasSkopeo)("skopeo pushes, copies within, inspects, lists and deletes", async () => {
  await using server = await startRegistryServer();
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-skopeo-"));
  try {
    const layer = createBlob(MEDIA_TYPES.layer, Buffer.alloc(1024));
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
    mkdirSync(path.join(folder, "image"));
    await writeLayout(path.join(folder, "image"), { blobs: [layer, config], manifests: [root], root }, "1");
    const at = (name: string) => `docker://${server.host}/${name}`;
    const plain = ["--dest-tls-verify=false", "--src-tls-verify=false", "--insecure-policy"];
    await skopeo("copy", ...plain, `oci:${folder}/image:1`, at("team/shop:1"));
    await skopeo("copy", ...plain, at("team/shop:1"), at("other/shop:2"));
    const seen = JSON.parse((await skopeo("inspect", "--tls-verify=false", at("other/shop:2"))).stdout);
    expect(seen).toMatchObject({ Architecture: "amd64", RepoTags: ["2"] });
    await skopeo("copy", ...plain, at("other/shop:2"), `oci:${folder}/back:2`);
    await skopeo("delete", "--tls-verify=false", at("other/shop:2"));
    await expect(skopeo("inspect", "--tls-verify=false", at("other/shop:2"))).rejects.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
