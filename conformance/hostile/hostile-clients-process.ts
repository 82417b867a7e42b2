import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AttackOutcomes, HostileClientsOptions } from "./hostile-clients.ts";

/** Hostile clients in a child process, which attack until they are stopped. */
export interface HostileClientsProcess extends AsyncDisposable {
  stop(): Promise<AttackOutcomes>;
}

export async function startHostileClients(options: HostileClientsOptions): Promise<HostileClientsProcess> {
  const flags = ["--conditions=@pintle/source", "--import", "tsx"];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "hostile-clients.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readLine = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error("the process of the hostile clients exited unexpectedly");
    return next.value;
  };
  child.stdin.write(`${JSON.stringify(options)}\n`);
  await readLine();
  return {
    async stop() {
      child.stdin.end();
      return JSON.parse(await readLine()) as AttackOutcomes;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
