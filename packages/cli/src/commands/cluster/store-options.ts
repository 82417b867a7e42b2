import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { StoreBackend } from "@pintle/cluster";
import { CommandError, type ParsedArguments } from "../../command/index.ts";

export interface StoreOption {
  readonly store: StoreBackend;
  /** Where the data is stored, appended to the start message; empty for memory. */
  readonly description: string;
}

/** Parses --data, --fsync, --accept-data-loss and the --etcd-* flags of `cluster up`. */
export function parseStoreOptions(values: ParsedArguments["values"], cwd: string, onDataLoss: (report: string) => void): StoreOption {
  const text = (flag: string) => (values[flag] === undefined ? undefined : String(values[flag]));
  const pem = (flag: string) => {
    const file = text(flag);
    return file === undefined ? undefined : readPemFile(path.resolve(cwd, file), flag);
  };
  const [data, servers] = [text("data"), text("etcd-servers")];
  const orphanedFlag = Object.keys(values).find((flag) => flag.startsWith("etcd-") && servers === undefined);
  if (orphanedFlag !== undefined) throw usageError(`--${orphanedFlag} requires --etcd-servers`);
  if (data !== undefined && servers !== undefined) throw usageError("--data and --etcd-servers are mutually exclusive");
  const [fsync, acceptDataLoss] = [values["fsync"] === true, values["accept-data-loss"] === true];
  if (fsync && data === undefined) throw usageError("--fsync requires --data");
  if (acceptDataLoss && data === undefined) throw usageError("--accept-data-loss requires --data");
  if (data !== undefined) {
    if (data === "") throw usageError("invalid --data: must be a folder");
    const folder = path.resolve(cwd, data);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw usageError(`invalid --data ${data}: it is a file, not a folder`);
    return { store: { file: folder, fsync, acceptDataLoss, onDataLoss }, description: `, data in ${path.relative(cwd, folder) || "."}` };
  }
  if (servers === undefined) return { store: "memory", description: "" };
  const endpoints = servers.split(",").map((each) => each.trim());
  for (const each of endpoints)
    if (!isHttpUrl(each)) throw usageError(`invalid --etcd-servers "${each}": must be a URL such as http://127.0.0.1:2379`);
  const [ca, cert, key] = [pem("etcd-cafile"), pem("etcd-certfile"), pem("etcd-keyfile")];
  if ((cert === undefined) !== (key === undefined)) throw usageError("--etcd-certfile and --etcd-keyfile must be used together");
  return {
    store: { etcd: { endpoints, prefix: text("etcd-prefix"), ca, cert, key } },
    description: `, data in etcd ${endpoints.join(", ")}`,
  };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function readPemFile(file: string, flag: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`--${flag}: ${(error as Error).message}`);
  }
}

function usageError(what: string): CommandError {
  return new CommandError("PINTLE7005", `${what}. See 'pintle cluster up --help'`, 2);
}
