import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtFolder, sourceFolder } from "../../conformance/clients/build-state.ts";
import { type PeerName, programs } from "./programs.ts";

export interface PeerBuilds {
  /** The command of each peer, without arguments. */
  readonly commands: ReadonlyMap<PeerName, readonly string[]>;
  /** The peers that could not be built, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Builds the peers that are not built yet, in a child process: the build lowers the priority of its process, and this one is about to measure. */
export async function buildPeers(names: readonly PeerName[]): Promise<PeerBuilds> {
  const missingNames = names.filter((name) => !existsSync(builtFolder(programs[name])));
  const missing = missingNames.length === 0 ? {} : await forkBuild(missingNames);
  const available = names.filter((name) => missing[name] === undefined);
  const command = (name: PeerName) => programs[name].command(builtFolder(programs[name]), sourceFolder(programs[name]));
  return { commands: new Map(available.map((name) => [name, command(name)])), missing };
}

async function forkBuild(names: readonly PeerName[]): Promise<Readonly<Record<string, string>>> {
  console.log(`Building ${names.join(", ")}; the first time this takes minutes`);
  const child = fork(fileURLToPath(new URL("build.ts", import.meta.url)), names);
  const exited = once(child, "exit").then(([code]) => {
    throw new Error(`bench/peers/build.ts exited with code ${code}`);
  });
  exited.catch(() => {});
  const [missing] = await Promise.race([once(child, "message"), exited]);
  return missing as Record<string, string>;
}
