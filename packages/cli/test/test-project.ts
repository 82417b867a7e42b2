import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../src/main.ts";

const NODE_MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

/** Creates a project folder inside this repository's node_modules, so that its packages resolve, and runs commands in it. */
export function createTestProject(files: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(path.join(NODE_MODULES, ".pintle-test-"));
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
    /** All files except those in `.pintle/`. */
    files: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"))
        .filter((file) => !file.startsWith(".pintle/"))
        .sort(),
    pintle: (...words: string[]) => runPintle(words),
    /** Runs a command on a terminal, where the user types the answer to every question. */
    pintleWithAnswer: (answer: string, ...words: string[]) => runPintle(words, answer),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
  async function runPintle(words: readonly string[], answer?: string) {
    const output = { out: "", err: "" };
    const prompt = async (question: string) => {
      output.out += question;
      return answer as string;
    };
    const code = await main(words, {
      out: (text) => (output.out += text),
      err: (text) => (output.err += text),
      tty: false,
      cwd: root,
      signal: AbortSignal.timeout(60_000),
      ...(answer === undefined ? {} : { prompt }),
    });
    return { code, ...output };
  }
}

/** Files of a small operator. `spec` is the source of the object passed to `z.object`. */
export function shopProject(spec = "{ replicas: z.int32().min(1).max(9).default(1) }", more = ""): Readonly<Record<string, string>> {
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
