import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type GoField, parseGoFile } from "./go-file.ts";
import { type ProtoMessage, parseProtoFile } from "./proto-file.ts";

/** Protobuf messages and Go structs by full name: "k8s.io.api.core.v1.PodSpec". */
export interface GoSources {
  readonly messages: ReadonlyMap<string, ProtoMessage>;
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
}

const MODULES = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

/** Reads the sources of a Kubernetes version ("1.36": its newest patch) from a Go module cache. */
export async function readGoSources(cache: string, version: string): Promise<GoSources> {
  const messages = new Map<string, ProtoMessage>();
  const structs = new Map<string, readonly GoField[]>();
  for (const module of MODULES) {
    const root = await moduleFolder(path.join(cache, "k8s.io"), module, version);
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (entry.name !== "generated.proto") continue;
      const found = parseProtoFile(await readFile(path.join(entry.parentPath, entry.name), "utf8"));
      for (const message of found) messages.set(`${message.package}.${message.name}`, message);
      const own = found[0]?.package;
      if (own === undefined) continue;
      for (const name of await readdir(entry.parentPath)) {
        if (!/^types(_jsonschema)?\.go$/.test(name)) continue;
        for (const [struct, fields] of parseGoFile(await readFile(path.join(entry.parentPath, name), "utf8")))
          structs.set(`${own}.${struct}`, fields);
      }
    }
  }
  return { messages, structs };
}

async function moduleFolder(parent: string, module: string, version: string): Promise<string> {
  const prefix = `${module}@v0.${version.split(".")[1]}.`;
  const patches = (await readdir(parent))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter((patch) => Number.isInteger(patch));
  if (patches.length === 0) throw new Error(`The Go module k8s.io/${prefix}* is not in the module cache: run \`go mod download\` for it`);
  return path.join(parent, `${prefix}${Math.max(...patches)}`);
}
