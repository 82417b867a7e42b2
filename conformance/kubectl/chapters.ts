import { readdir } from "node:fs/promises";
import { type Chapter, readChapter } from "../../packages/cluster/test/kubectl/chapter.ts";

const folder = new URL("./chapters/", import.meta.url);
const golden = new URL("./golden/", import.meta.url);
/** Where the chapter is that every test run plays. */
const always = new URL("../../packages/cluster/test/kubectl/", import.meta.url);

/** Every chapter of the matrix; `words` pick those whose names they are. */
export async function chapters(words: readonly string[] = []): Promise<readonly Chapter[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
  const files = [...names.map((name) => new URL(name, folder)), new URL("memcached.yaml", always)];
  const all = await Promise.all(files.map(readChapter));
  return all.filter(({ name }) => words.length === 0 || words.includes(name));
}

export function goldenFile({ name }: Chapter): URL {
  return name === "memcached" ? new URL("memcached.golden.yaml", always) : new URL(`${name}.yaml`, golden);
}
