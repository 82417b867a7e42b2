import { readdir } from "node:fs/promises";
import { type KubectlScenario, readScenario } from "../../packages/cluster/test/kubectl/scenario.ts";

const folder = new URL("./chapters/", import.meta.url);
const golden = new URL("./golden/", import.meta.url);
/** Folder of the one chapter that every test run plays. */
const always = new URL("../../packages/cluster/test/kubectl/", import.meta.url);

/** Reads the chapters of the matrix; `words` selects chapters by name. */
export async function readChapters(words: readonly string[] = []): Promise<readonly KubectlScenario[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
  const files = [...names.map((name) => new URL(name, folder)), new URL("memcached.yaml", always)];
  const all = await Promise.all(files.map(readScenario));
  return all.filter(({ name }) => words.length === 0 || words.includes(name));
}

export function goldenFile({ name }: KubectlScenario): URL {
  return name === "memcached" ? new URL("memcached.golden.yaml", always) : new URL(`${name}.yaml`, golden);
}
