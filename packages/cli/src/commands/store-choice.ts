import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { StoreChoice } from "@pintle/cluster";
import { type Arguments, CommandError } from "../command.ts";

export interface ChosenStore {
  readonly store: StoreChoice;
  /** Where objects are kept, as the end of a sentence; empty when that goes without saying. */
  readonly where: string;
}

/** What the flags of `cluster up` say about where objects are kept. */
export function storeChoice(values: Arguments["values"], cwd: string): ChosenStore {
  const text = (flag: string) => (values[flag] === undefined ? undefined : String(values[flag]));
  const pem = (flag: string) => {
    const file = text(flag);
    return file === undefined ? undefined : contentOf(path.resolve(cwd, file), flag);
  };
  const [data, servers] = [text("data"), text("etcd-servers")];
  const alone = Object.keys(values).find((flag) => flag.startsWith("etcd-") && servers === undefined);
  if (alone !== undefined) throw wrong(`--${alone} says how to reach --etcd-servers: say which`);
  if (data !== undefined && servers !== undefined) throw wrong("--data and --etcd-servers are two places for the same objects: choose one");
  if (values["fsync"] === true && data === undefined) throw wrong("--fsync is about a folder: say which with --data");
  if (data !== undefined) {
    if (data === "") throw wrong("--data needs a folder");
    const folder = path.resolve(cwd, data);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw wrong(`--data ${data} is a file, not a folder`);
    return { store: { file: folder, fsync: values["fsync"] === true }, where: `, kept in ${path.relative(cwd, folder) || "."}` };
  }
  if (servers === undefined) return { store: "memory", where: "" };
  const endpoints = servers.split(",").map((each) => each.trim());
  for (const each of endpoints)
    if (!isAddress(each)) throw wrong(`--etcd-servers ${each} is no address: http://127.0.0.1:2379 would be one`);
  const [ca, cert, key] = [pem("etcd-cafile"), pem("etcd-certfile"), pem("etcd-keyfile")];
  if ((cert === undefined) !== (key === undefined)) throw wrong("--etcd-certfile and --etcd-keyfile go together");
  return { store: { etcd: { endpoints, prefix: text("etcd-prefix"), ca, cert, key } }, where: `, kept in etcd at ${endpoints.join(", ")}` };
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function contentOf(file: string, flag: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrong(`--${flag}: ${(error as Error).message}`);
  }
}

function wrong(what: string): CommandError {
  return new CommandError(`pintle cluster up: ${what}. See: pintle cluster up --help`, 2);
}
