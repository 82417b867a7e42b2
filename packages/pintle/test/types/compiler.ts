import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Diagnostic {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}
export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  readonly instantiations: number;
  /** The emitted declarations of the file. */
  readonly declarations: string;
}

const root = join(import.meta.dirname, "../../../..");
const source = join(import.meta.dirname, "../../src");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

/** Compiles a file of this folder against the sources of the library. */
export function compileWithSources(text: string): Promise<Compilation> {
  return inside(async (dir) => compile(dir, text.replaceAll("../../src/", `${source}/`)));
}

/** Compiles a file of this folder against the emitted declarations, as users do. */
export function compileWithDeclarations(text: string): Promise<Compilation> {
  return inside(async (dir) => {
    const compilerOptions = { rootDir: source, outDir: join(dir, "pintle"), declaration: true, emitDeclarationOnly: true };
    await configure(dir, compilerOptions, { include: [source] });
    await run(dir);
    return compile(dir, text.replaceAll("../../src/", "./pintle/").replaceAll('.ts";', '.js";'));
  });
}

async function compile(dir: string, text: string): Promise<Compilation> {
  await writeFile(join(dir, "text.ts"), text);
  const extensions = { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true };
  const compilerOptions = {
    ...extensions,
    rootDir: "/",
    outDir: join(dir, "out"),
    declaration: true,
    emitDeclarationOnly: true,
    noUnusedLocals: false,
  };
  await configure(dir, compilerOptions, { files: ["text.ts"] });
  const output = await run(dir);
  return { ...read(output), declarations: await readFile(join(dir, "out", dir, "text.d.ts"), "utf8") };
}

/** Calls `use` with a temporary folder that has the modules of the repository. */
async function inside<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), "pintle-types-"));
  try {
    await symlink(join(root, "node_modules"), join(dir, "node_modules"), "junction");
    await writeFile(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function configure(
  dir: string,
  compilerOptions: object,
  roots: { readonly files?: string[]; readonly include?: string[] },
): Promise<void> {
  const types = [join(root, "node_modules/@types/node")];
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions: { ...compilerOptions, types }, ...roots };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(config));
}

function run(dir: string): Promise<string> {
  const args = [tsc, "-p", dir, "--pretty", "false", "--extendedDiagnostics", "--singleThreaded"];
  return new Promise((resolve) => execFile(process.execPath, args, { cwd: dir, maxBuffer: 2 ** 26 }, (_, stdout) => resolve(stdout)));
}

function read(output: string): Omit<Compilation, "declarations"> {
  const found = output.matchAll(/^(\S+)\((\d+),(\d+)\): error TS\d+: (.*(?:\n {2}.*)*)/gm);
  const diagnostics = [...found].map(([, file, line, column, message]) => {
    if (!file!.endsWith("text.ts")) throw new Error(`${file}: ${message}`);
    return { line: Number(line), column: Number(column), message: message! };
  });
  const count = /^Instantiations:\s+(\d+)/m.exec(output)?.[1];
  if (count === undefined) throw new Error(`the compiler did not report its instantiations:\n${output}`);
  return { diagnostics, instantiations: Number(count) };
}
