/**
 * `npm run kinds`: typed kinds, and the tables of the embedded cluster, from what a server publishes about its API.
 *
 * The way of the facts: documents.ts (a server's answers, from dump.ts or server.ts) or a CRD -> built-in.ts, custom.ts
 * (group-versions over named schemas) -> kind-file.ts (types, kinds and shapes as text) and cluster/ (tables) ->
 * output.ts. Everything between reading and writing is pure; the same facts give the same bytes.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { type CustomSource, HELP, parseArguments, type Source } from "./arguments.ts";
import { goNamesTable } from "./cluster/protobuf/go-names-table.ts";
import { protobufTable } from "./cluster/protobuf/protobuf-table.ts";
import { goSources } from "./cluster/protobuf/sources.ts";
import { type Documents, isRecord } from "./documents.ts";
import { dump } from "./dump.ts";
import { builtInFiles, clusterFiles, customFiles, FROM_FOLDER, FROM_PACKAGE } from "./files.ts";
import { replace, write } from "./output.ts";
import { reach } from "./reach.ts";
import { server } from "./server.ts";

const OWN_KINDS = path.join(import.meta.dirname, "../src/kinds/generated");
const CLUSTER = path.join(import.meta.dirname, "../../cluster/src");

async function main(): Promise<void> {
  const task = parseArguments(process.argv.slice(2));
  switch (task.task) {
    case "help":
      process.stdout.write(HELP);
      return;
    case "custom":
      for (const definition of await definitions(task.from)) await write(task.out, customFiles(definition));
      return;
    case "built-in": {
      const published = await documentsFrom(task.from);
      if (task.out !== undefined) return write(task.out, builtInFiles(published, FROM_PACKAGE));
      await replace(OWN_KINDS, builtInFiles(published, FROM_FOLDER));
      await write(CLUSTER, clusterFiles(published));
      if (task.modules === undefined) return;
      const sources = await goSources(task.modules, published.serverVersion);
      await write(
        CLUSTER,
        new Map([
          ["codec/generated/protobuf.ts", protobufTable(published, sources)],
          ["builtin/generated/go-names.ts", goNamesTable(published, sources)],
        ]),
      );
    }
  }
}

async function documentsFrom(source: Source): Promise<Documents> {
  return "folder" in source ? dump(source.folder) : reach(source, server);
}

async function definitions(source: CustomSource): Promise<readonly unknown[]> {
  if ("name" in source) {
    return reach(source.at, async (get) => [
      await get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(source.name)}`),
    ]);
  }
  const content = source.file === "-" ? await text(process.stdin) : await readFile(source.file, "utf8");
  const found = parseAllDocuments(content)
    .map((document) => document.toJS() as unknown)
    .filter((value) => isRecord(value) && value["kind"] === "CustomResourceDefinition");
  if (found.length === 0) throw new Error(`${source.file === "-" ? "Standard input" : source.file} holds no CustomResourceDefinition`);
  return found;
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
