/** An OCI layout in a folder is unpacked and run, also in loopback mode, in which containers have no root file system of their own. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Pod } from "pintle/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";

describe.runIf(process.platform === "linux")("an image in an OCI layout", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "pintle-layout-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Creates an OCI layout with one image of one layer that contains only a script. */
  function layout(script: string): string {
    const at = path.join(folder, "layout");
    mkdirSync(path.join(at, "blobs/sha256"), { recursive: true });
    mkdirSync(path.join(folder, "files/app"), { recursive: true });
    writeFileSync(path.join(folder, "files/app/main.js"), script);
    const blob = (bytes: Buffer | string) => {
      const hex = createHash("sha256").update(bytes).digest("hex");
      writeFileSync(path.join(at, "blobs/sha256", hex), bytes);
      return { digest: `sha256:${hex}`, size: bytes.length };
    };
    const layer = blob(execFileSync("tar", ["-C", path.join(folder, "files"), "-czf", "-", "."]));
    const settings = { Entrypoint: ["node", "/app/main.js"], Cmd: ["usual"], Env: ["COLOUR=blue"], WorkingDir: "/app" };
    const config = blob(JSON.stringify({ os: "linux", architecture: "any", config: settings }));
    const manifest = blob(JSON.stringify({ schemaVersion: 2, config, layers: [layer] }));
    writeFileSync(path.join(at, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
    return at;
  }

  test("runs its entrypoint with its environment and working directory, as the pod's service account", async () => {
    const script = `const { readFileSync } = require("node:fs");
const account = JSON.parse(readFileSync(process.env.KUBECONFIG, "utf8"));
console.log(process.argv[2], process.env.COLOUR, process.cwd().endsWith("/rootfs/app"), account.contexts[0].context.namespace);`;
    const images = { "example.com/app": { layout: layout(script) } };
    await using cluster = await startCluster({ nodes: { kind: "process", mode: "loopback", images } });
    await cluster.ready;
    const client = cluster.client();
    const ref = { name: "app", namespace: "default" };
    const container = { name: "main", image: "example.com/app:v1", args: ["given"] };
    await client.create(Pod, { metadata: ref, spec: { restartPolicy: "Never", containers: [container] } });
    const pod = await client.waitFor(Pod, ref, ({ status }) => status.phase === "Succeeded" || status.phase === "Failed", {
      timeout: 20_000,
    });
    const options = { follow: false, previous: false, timestamps: false };
    let output = "";
    for await (const bytes of cluster.nodes[0]!.streams.logs(
      { ...ref, pod: "app", uid: "", container: "main" },
      options,
      new AbortController().signal,
    ))
      output += Buffer.from(bytes).toString();
    expect(output).toBe("given blue true default\n");
    expect(pod.status.containerStatuses?.[0]?.imageID).toMatch(/^example\.com\/app@sha256:[0-9a-f]{64}$/);
  }, 60_000);
});
