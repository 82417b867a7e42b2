/** Plays docs/guides/operator-lifecycle.md on the embedded cluster and on a real control plane, with the lifecycle manager as a process. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { main } from "@pintle/cli";
import { installLifecycleManager } from "@pintle/lifecycle/manager";
import { connect } from "pintle/client";
import { describe, expect, test } from "vitest";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { servers } from "../cli/servers.ts";
import { createManagerProcess } from "../lifecycle/manager-process.ts";
import { publishMemcached } from "../lifecycle/memcached-bundles.ts";
import { binary } from "../real/binaries.ts";
import { comparable, steps } from "./console.ts";

const GUIDE = fileURLToPath(new URL("../../docs/guides/operator-lifecycle.md", import.meta.url));
/** The registry of the guide. */
const REGISTRY = "localhost:5000";

describe.each(servers)("$name", ({ start }) => {
  test("docs/guides/operator-lifecycle.md shows the output that its commands print", { timeout: 420_000 }, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "pintle-guide-"));
    const server = await start();
    await using registry = await startRegistryServer();
    const manager = await createManagerProcess(server.kubeconfig, folder);
    const markdown = readFileSync(GUIDE, "utf8");
    try {
      const client = await connect({ kubeconfig: server.kubeconfig });
      await installLifecycleManager(client);
      await client.close();
      await publishMemcached(registry.host);
      await manager.start();
      for (const [, name, text] of markdown.matchAll(/```yaml\n# (\S+)\n(.*?)```/gs)) {
        writeFileSync(path.join(folder, name!), text!.replaceAll(REGISTRY, registry.host));
      }
      for (const { command, output, line } of steps(markdown)) {
        const printed = await run(command.split(" "), server.kubeconfig, folder);
        expect(mask(printed, registry.host), `line ${line}: ${command}\n${printed}`).toBe(mask(output, registry.host));
      }
    } finally {
      await manager.end("SIGKILL");
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function run([program, ...words]: readonly string[], kubeconfig: string, cwd: string): Promise<string> {
  if (program === "kubectl") return (await promisify(execFile)(binary("kubectl"), ["--kubeconfig", kubeconfig, ...words], { cwd })).stdout;
  let printed = "";
  const append = (text: string) => {
    printed += text;
  };
  await main([...words, "--kubeconfig", kubeconfig], { out: append, err: append, tty: false, cwd, signal: AbortSignal.timeout(180_000) });
  return printed.replaceAll(` --kubeconfig ${kubeconfig}`, "");
}

/** How many conditions a wait sees on the way depends on the speed of the machine. */
function mask(text: string, host: string): string {
  const lines = text.replaceAll(host, REGISTRY).split("\n");
  const kept = lines.filter(
    (line) => !/^ClusterExtension\/\S+ (Installed|Progressing|Available)=/.test(line) && !/^(Object|Probes|Action|- )/.test(line),
  );
  return comparable(
    kept
      .join("\n")
      .replaceAll(/sha256:[0-9a-f]{64}/g, "DIGEST")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
      .replaceAll(/\d+ objects were written/g, "N objects were written")
      // What a revision that was replaced still says depends on when its last objects are gone.
      .replaceAll(/(Archived {2,}\S+ {2,})Progressing=.*/g, "$1PROGRESS")
      .replaceAll(/reading .* into a fork/g, "reading CLUSTER into a fork"),
  );
}
