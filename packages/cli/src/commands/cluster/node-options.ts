import { readFileSync } from "node:fs";
import path from "node:path";
import type { ImageTable, ProcessNodesOptions, StoreBackend } from "@pintle/cluster";
import { parse } from "yaml";
import { CommandError, type ParsedArguments } from "../../command/index.ts";

/** Parses --nodes and --node-config of `cluster up`: a number of simulated nodes, or the options of process nodes. */
export function parseNodeOptions(
  values: ParsedArguments["values"],
  store: StoreBackend,
  cwd: string,
): number | ProcessNodesOptions | undefined {
  const [nodes, file] = [values["nodes"], values["node-config"]];
  if (nodes !== "process") {
    if (file !== undefined) throw usageError("--node-config requires --nodes process");
    return nodes === undefined ? undefined : parseCount("--nodes", nodes);
  }
  const config = file === undefined ? {} : readNodeConfig(path.resolve(cwd, String(file)), String(file));
  // By default, node data is stored next to the objects.
  const defaultFolder = typeof store === "object" && "file" in store ? path.join(store.file, "nodes") : undefined;
  const folder = config.folder === undefined ? defaultFolder : path.resolve(cwd, config.folder);
  return { ...config, kind: "process", ...(folder === undefined ? {} : { folder }) };
}

interface NodeConfigFile {
  readonly count?: number | undefined;
  readonly folder?: string | undefined;
  readonly mode?: "loopback" | "namespaces" | undefined;
  readonly images?: ImageTable | undefined;
}

const KNOWN_FIELDS = ["count", "folder", "mode", "images"];

function readNodeConfig(file: string, displayName: string): NodeConfigFile {
  let config: unknown;
  try {
    config = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw usageError(`cannot read --node-config ${displayName}: ${(error as Error).message}`);
  }
  if (typeof config !== "object" || config === null)
    throw usageError(`--node-config ${displayName} must be an object with the fields ${KNOWN_FIELDS.join(", ")}`);
  const { count, mode, images = {} } = config as NodeConfigFile;
  const unknownField = Object.keys(config).find((key) => !KNOWN_FIELDS.includes(key));
  if (unknownField !== undefined)
    throw usageError(`--node-config ${displayName}: unknown field "${unknownField}"; known fields are ${KNOWN_FIELDS.join(", ")}`);
  if (count !== undefined) parseCount(`--node-config ${displayName}: count`, String(count));
  if (mode !== undefined && mode !== "loopback" && mode !== "namespaces")
    throw usageError(`--node-config ${displayName}: invalid mode "${String(mode)}": must be loopback or namespaces`);
  for (const [image, entry] of Object.entries(images))
    if (typeof entry !== "object" || entry === null)
      throw usageError(`--node-config ${displayName}: images.${image} must be an object such as {"command": ["program"]}`);
  return config as NodeConfigFile;
}

function parseCount(what: string, text: string | boolean): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0 || text === "")
    throw usageError(`invalid ${what} "${text}": must be a number${what === "--nodes" ? ' or "process"' : ""}`);
  return count;
}

function usageError(what: string): CommandError {
  return new CommandError("PINTLE7005", what, 2);
}
