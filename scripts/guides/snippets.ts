/**
 * The TypeScript blocks of the guides as modules, so that tests run what a reader copies. A block belongs to the heading above it. Its module is
 * `docs/<page>.<slug of the heading>.ts`, a file that exists only for vitest. Blocks that import nothing from pintle are fragments and left out.
 */
import { readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

export interface Snippet {
  /** `<page>#<slug of the heading>`: "controllers.md#wait-for-other-objects". */
  readonly id: string;
  /** Path of the module. */
  readonly file: string;
  readonly code: string;
}

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .trim()
    .replaceAll(/ +/g, "-");

/** Returns the snippets of a page of `docs`; throws if a heading has two. */
export function readSnippets(page: string): readonly Snippet[] {
  const text = readFileSync(path.join(root, "docs", page), "utf8");
  const found = new Map<string, Snippet>();
  let heading = "";
  for (const [, title, code] of text.matchAll(/^#+ (.*)$|^```ts\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    if (code === undefined || !/from "@?pintle/.test(code)) continue;
    const slug = slugOf(heading);
    const id = `${page}#${slug}`;
    if (found.has(id)) throw new Error(`${id}: two snippets below one heading`);
    found.set(id, { id, file: path.join(root, "docs", `${page}.${slug}.ts`), code });
  }
  return [...found.values()];
}

const SNIPPET_FILE = /\/docs\/(.+\.md)\.([\w-]+)\.ts$/;

/** The plugin of vite that loads the modules of snippets. */
export function guideSnippets() {
  return {
    name: "guide-snippets",
    enforce: "pre" as const,
    resolveId: (id: string) => (SNIPPET_FILE.test(id) ? id : undefined),
    load(id: string) {
      const [, page, slug] = SNIPPET_FILE.exec(id) ?? [];
      return page === undefined ? undefined : readSnippets(page).find((each) => each.id === `${page}#${slug}`)?.code;
    },
  };
}
