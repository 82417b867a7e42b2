import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type Documents, documents } from "./documents.ts";

/** Reads a server's answers from the .json files of a folder, in any arrangement. */
export async function dump(folder: string): Promise<Documents> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json")).sort();
  return documents(await Promise.all(files.map(async (name) => JSON.parse(await readFile(path.join(folder, name), "utf8")) as unknown)));
}
