import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtFolder, sourcesOf } from "../../conformance/clients/built.ts";
import { type PeerName, programs } from "./programs.ts";

export interface Built {
  /** How to start each peer, before its arguments. */
  readonly commands: ReadonlyMap<PeerName, readonly string[]>;
  /** Which could not be built, and why. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Builds what is not built yet, in a process of its own, which may be nice to others; ours is about to measure. */
export async function built(names: readonly PeerName[]): Promise<Built> {
  const absent = names.filter((name) => !existsSync(builtFolder(programs[name])));
  const missing = absent.length === 0 ? {} : await build(absent);
  const there = names.filter((name) => missing[name] === undefined);
  const command = (name: PeerName) => programs[name].command(builtFolder(programs[name]), sourcesOf(programs[name]));
  return { commands: new Map(there.map((name) => [name, command(name)])), missing };
}

async function build(names: readonly PeerName[]): Promise<Readonly<Record<string, string>>> {
  console.log(`building ${names.join(", ")}: minutes the first time`);
  const child = fork(fileURLToPath(new URL("build.ts", import.meta.url)), names);
  const exited = once(child, "exit").then(([code]) => {
    throw new Error(`bench/peers/build.ts ended with ${code}`);
  });
  exited.catch(() => {});
  const [missing] = await Promise.race([once(child, "message"), exited]);
  return missing as Record<string, string>;
}
