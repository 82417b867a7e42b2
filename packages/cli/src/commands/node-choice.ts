import { readFileSync } from "node:fs";
import path from "node:path";
import type { ImageTable, ProcessNodesOptions, StoreChoice } from "@pintle/cluster";
import { parse } from "yaml";
import { type Arguments, CommandError } from "../command.ts";

/** What the flags of `cluster up` say about the nodes: how many simulated ones, or that pods are processes. */
export function nodeChoice(values: Arguments["values"], store: StoreChoice, cwd: string): number | ProcessNodesOptions | undefined {
  const [nodes, file] = [values["nodes"], values["node-config"]];
  if (nodes !== "process") {
    if (file !== undefined) throw wrong("--node-config is about nodes whose pods are processes: add --nodes process");
    return nodes === undefined ? undefined : countOf("--nodes", nodes);
  }
  const config = file === undefined ? {} : configOf(path.resolve(cwd, String(file)), String(file));
  // Beside the objects that tell of them, if those are kept.
  const beside = typeof store === "object" && "file" in store ? path.join(store.file, "nodes") : undefined;
  const folder = config.folder === undefined ? beside : path.resolve(cwd, config.folder);
  return { ...config, kind: "process", ...(folder === undefined ? {} : { folder }) };
}

interface NodeConfig {
  readonly count?: number | undefined;
  readonly folder?: string | undefined;
  readonly mode?: "loopback" | "namespaces" | undefined;
  readonly images?: ImageTable | undefined;
}

const KNOWN = ["count", "folder", "mode", "images"];

function configOf(file: string, named: string): NodeConfig {
  let config: unknown;
  try {
    config = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw wrong(`--node-config ${named} cannot be read: ${(error as Error).message}`);
  }
  if (typeof config !== "object" || config === null) throw wrong(`--node-config ${named} should have some of ${KNOWN.join(", ")}`);
  const { count, mode, images = {} } = config as NodeConfig;
  const strange = Object.keys(config).find((key) => !KNOWN.includes(key));
  if (strange !== undefined) throw wrong(`--node-config ${named}: ${strange} is unknown; known are ${KNOWN.join(", ")}`);
  if (count !== undefined) countOf(`--node-config ${named}: count`, String(count));
  if (mode !== undefined && mode !== "loopback" && mode !== "namespaces")
    throw wrong(`--node-config ${named}: mode ${String(mode)} is neither loopback nor namespaces`);
  for (const [image, entry] of Object.entries(images))
    if (typeof entry !== "object" || entry === null)
      throw wrong(`--node-config ${named}: images.${image} should say what it is: {"command": ["program"]}`);
  return config as NodeConfig;
}

function countOf(what: string, text: string | boolean): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || text === "")
    throw wrong(`${what} ${text} is no number of nodes${what === "--nodes" ? ', nor "process"' : ""}`);
  return count;
}

function wrong(what: string): CommandError {
  return new CommandError(`pintle cluster up: ${what}`, 2);
}
