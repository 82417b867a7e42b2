import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@pintle/cluster";
import { type Controller, silent, start } from "pintle";
import { clientOver } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { describe, expect, it } from "vitest";
import { Application, application } from "../../examples/application/src/application.ts";
import { ImoocPod, imoocPod } from "../../examples/imoocpod/src/imoocpod.ts";
import { binaries } from "../real/index.ts";
import { comparable, steps } from "./console.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const WITHIN = 60_000;
/** How often a command that only looks is tried again until it shows what the guide shows: things take their time. */
const AGAIN = 100;
const LOOKS = /^kubectl get /;

const SAMPLES: Readonly<Record<string, { readonly crd: object; readonly controller: Controller }>> = {
  application: { crd: Application.crd(), controller: application },
  imoocpod: { crd: ImoocPod.crd(), controller: imoocPod },
};

describe.each(Object.entries(SAMPLES))("docs/guides/%s.md", (name, { crd, controller }) => {
  it("shows what its commands print", { timeout: 240_000 }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "pintle-guide-"));
    const cluster = await startCluster({ http: true });
    const client = clientOver(cluster.transport);
    await client.create(CustomResourceDefinition, crd as never);
    const operator = start({ controllers: [controller], client, logger: silent });
    try {
      await operator.ready;
      const kubeconfig = path.join(folder, "kubeconfig");
      await cluster.writeKubeconfig(kubeconfig);
      const env = {
        ...process.env,
        KUBECONFIG: kubeconfig,
        PATH: `${binaries().folder}${path.delimiter}${process.env["PATH"]}`,
      };
      const play = (command: string) => played(command, path.join(root, "examples", name), env);
      const guide = await readFile(path.join(root, `docs/guides/${name}.md`), "utf8");
      for (const { command, output, line } of steps(guide)) {
        const until = performance.now() + WITHIN;
        let printed = await play(command);
        while (LOOKS.test(command) && comparable(printed) !== comparable(output) && performance.now() < until) {
          await delay(AGAIN);
          printed = await play(command);
        }
        expect(comparable(printed), `line ${line}: ${command}\n${printed}`).toBe(comparable(output));
      }
    } finally {
      await operator.stop();
      await cluster.stop();
      await rm(folder, { recursive: true });
    }
  });
});

/** What a shell shows: both outputs, whatever the exit code. */
function played(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => execFile("sh", ["-c", `${command} 2>&1`], { cwd, env, timeout: 60_000 }, (_, stdout) => resolve(stdout)));
}
