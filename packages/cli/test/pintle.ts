import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../src/main.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/** A project's folder that finds this repository's packages, and the command line in it. */
export function workshop(files: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(path.join(MODULES, ".pintle-test-"));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    root,
    write,
    read: (file: string) => readFileSync(path.join(root, file), "utf8"),
    has: (file: string) => existsSync(path.join(root, file)),
    /** Every file, except what commands keep for themselves. */
    files: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
        .filter((file) => !file.startsWith(".pintle/"))
        .sort(),
    async pintle(...words: string[]) {
      const said = { out: "", err: "" };
      const code = await main(words, {
        out: (text) => (said.out += text),
        err: (text) => (said.err += text),
        tty: false,
        cwd: root,
        signal: AbortSignal.timeout(60_000),
      });
      return { code, ...said };
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A small operator. `spec` is the text of its Zod object. */
export function shop(spec = "{ replicas: z.int32().min(1).max(9).default(1) }", more = ""): Readonly<Record<string, string>> {
  return {
    "package.json": JSON.stringify({ name: "@acme/shop", version: "1.2.3", type: "module" }),
    "src/store.ts": `import { controller, defineResource, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
export const Store = defineResource({
  group: "shop.example.com", version: "v1", kind: "Store",
  spec: z.object(${spec}), status: z.object({ seen: z.int32() }), ${more}
});
export const store = controller(Store, {
  owns: [ConfigMap],
  reconcile: ({ want }) => want({ children: {}, status: { seen: 1 } }),
});
`,
    "src/main.ts": `import { run } from "pintle";
import { store } from "./store.ts";
await run({ controllers: [store] });
`,
  };
}
