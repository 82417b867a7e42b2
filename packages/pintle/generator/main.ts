/**
 * `npm run kinds`: generates typed kinds, and the tables of the embedded cluster, from the documents of an API server.
 *
 * Data flow: input/ (documents of an API server, saved or fetched) or a CRD -> kinds/built-in-kinds.ts and kinds/crd-kinds.ts
 * (group-versions with named schemas) -> kinds/kind-file.ts (types, kinds and shapes as text) and cluster/ (tables) -> output.ts.
 * Everything between reading and writing is pure: the same documents give the same bytes.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { type CrdSource, type DocumentsSource, HELP, parseArguments } from "./arguments.ts";
import { goNamesTable } from "./cluster/protobuf/go-names-table.ts";
import { protobufTable } from "./cluster/protobuf/protobuf-table.ts";
import { readGoSources } from "./cluster/protobuf/sources.ts";
import { builtInFiles, clusterFiles, customFiles, definitionFiles, FROM_FOLDER, FROM_PACKAGE } from "./generated-files.ts";
import { classifyDocuments, isRecord, type PublishedDocuments } from "./input/documents.ts";
import { fetchDocuments } from "./input/fetch-documents.ts";
import { withCluster } from "./input/with-cluster.ts";
import { replaceFiles, writeFiles } from "./output.ts";

const OWN_KINDS = path.join(import.meta.dirname, "../src/kinds/generated");
const SRC = path.join(import.meta.dirname, "../src");
const CLUSTER = path.join(import.meta.dirname, "../../cluster/src");

async function main(): Promise<void> {
  const task = parseArguments(process.argv.slice(2));
  switch (task.task) {
    case "help":
      process.stdout.write(HELP);
      return;
    case "custom":
      for (const definition of await definitions(task.from)) await writeFiles(task.out, customFiles(definition));
      return;
    case "built-in": {
      const published = await documentsFrom(task.from);
      if (task.out !== undefined) return writeFiles(task.out, builtInFiles(published, FROM_PACKAGE));
      await replaceFiles(OWN_KINDS, builtInFiles(published, FROM_FOLDER));
      await writeFiles(SRC, definitionFiles(published));
      await writeFiles(CLUSTER, clusterFiles(published));
      process.stdout.write(`generated kinds and tables from Kubernetes ${published.serverVersion}\n`);
      if (task.modules === undefined) return;
      const sources = await readGoSources(task.modules, published.serverVersion);
      await writeFiles(
        CLUSTER,
        new Map([
          ["codec/generated/protobuf.ts", protobufTable(published, sources)],
          ["builtin/generated/go-names.ts", goNamesTable(published, sources)],
        ]),
      );
      process.stdout.write("generated the protobuf tables\n");
    }
  }
}

async function documentsFrom(source: DocumentsSource): Promise<PublishedDocuments> {
  return "folder" in source ? readSavedDocuments(source.folder) : withCluster(source, fetchDocuments);
}

/** Reads the saved responses of an API server from the .json files of a folder. */
async function readSavedDocuments(folder: string): Promise<PublishedDocuments> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json")).sort();
  return classifyDocuments(
    await Promise.all(files.map(async (name) => JSON.parse(await readFile(path.join(folder, name), "utf8")) as unknown)),
  );
}

async function definitions(source: CrdSource): Promise<readonly unknown[]> {
  if ("name" in source) {
    return withCluster(source.at, async (get) => [
      await get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(source.name)}`),
    ]);
  }
  const content = source.file === "-" ? await text(process.stdin) : await readFile(source.file, "utf8");
  const found = parseAllDocuments(content)
    .map((document) => document.toJS() as unknown)
    .filter((value) => isRecord(value) && value["kind"] === "CustomResourceDefinition");
  if (found.length === 0) throw new Error(`${source.file === "-" ? "Standard input" : source.file} contains no CustomResourceDefinition`);
  return found;
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
