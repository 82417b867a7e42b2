import { readFileSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../command/index.ts";

const VARIABLE = "env://";

/** Reads a key from a file, or from a variable named as cosign does: `env://COSIGN_PRIVATE_KEY`. */
export function readKeyFile(source: string, cwd: string): string {
  if (source.startsWith(VARIABLE)) {
    const value = process.env[source.slice(VARIABLE.length)];
    if (value !== undefined && value !== "") return value;
    throw new CommandError("PINTLE8060", `--key ${source}: the variable is not set`, 2);
  }
  try {
    return readFileSync(path.resolve(cwd, source), "utf8");
  } catch (error) {
    throw new CommandError("PINTLE8060", `--key ${source}: cannot read the file (${(error as NodeJS.ErrnoException).code})`, 2);
  }
}

/** The password of a private key; variables appear in no list of processes and in no history. */
export function readKeyPassword(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env["COSIGN_PASSWORD"];
}
