import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, type FSWatcher, readdirSync, rmSync, statSync, watch } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { runInBackground } from "pintle/internal/errors";
import { BUNDLE_CONDITIONS } from "../project/index.ts";

export interface TypeCheckerOptions {
  /** Folder of the project, which has tsconfig.json. */
  readonly root: string;
  log(text: string): void;
  /** Called with the errors of a check, one per line: "src/store.ts:3:5: error TS2322: ...". */
  onErrors(errors: readonly string[]): void;
}

/** Checks the types of a project in a process of its own, so that neither the build nor the operator waits for it. */
export interface TypeChecker extends AsyncDisposable {
  /** Checks now, and after every change of a file of the project, also of one that is no part of the program. */
  start(): void;
}

/** What a check found is kept until the session ends: the next one reads only what has changed. */
const BUILD_INFO = path.join(".pintle", "types.tsbuildinfo");
/** Not `--watch`: TypeScript 7.0 notices no changes in folders near the root, such as /app and /workspaces/shop. */
const FLAGS = [
  ...["--noEmit", "--pretty", "false", "--project", "tsconfig.json", "--incremental", "--tsBuildInfoFile", BUILD_INFO],
  ...(BUNDLE_CONDITIONS.length > 0 ? ["--customConditions", BUNDLE_CONDITIONS.join(",")] : []),
];

/** Editors write a file in several steps, and several files at once. */
const DEBOUNCE_MS = 50;

/** Returns a checker that uses the project's own TypeScript; without tsconfig.json or TypeScript it checks nothing. */
export function createTypeChecker({ root, log, onErrors }: TypeCheckerOptions): TypeChecker {
  let watching: Disposable | undefined;
  let debounce: NodeJS.Timeout | undefined;
  let running: ChildProcess | undefined;
  let isOutdated = false;
  let hadErrors = false;
  let latestCheck = 0;

  /** Ends the running check, with the native compiler that the script of older Node versions starts as a child. */
  const cancel = async (): Promise<void> => {
    const child = running;
    running = undefined;
    if (child?.pid === undefined) return;
    const exit = once(child, "close");
    try {
      process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
    } catch {
      return; // It has exited.
    }
    await exit;
  };
  const run = async (file: string): Promise<void> => {
    // The first check takes longest: cancelled, it would leave nothing for the next one to start from.
    isOutdated = running !== undefined && !existsSync(path.join(root, BUILD_INFO));
    if (isOutdated) return;
    const check = ++latestCheck;
    await cancel();
    if (check !== latestCheck) return;
    const child = spawn(process.execPath, [file, ...FLAGS], { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: true });
    running = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const [code] = await once(child, "close");
    if (running !== child) return;
    running = undefined;
    if (isOutdated) return run(file);
    if (code !== 0) onErrors(formatTypeErrors(output));
    else if (hadErrors) log("types: no errors");
    hadErrors = code !== 0;
  };
  const check = (compiler: string) => runInBackground(run(compiler), (error) => log(`types could not be checked: ${String(error)}`));
  return {
    start() {
      if (watching !== undefined || !existsSync(path.join(root, "tsconfig.json"))) return;
      const compiler = findCompiler(root);
      if (compiler === undefined)
        return log("types are not checked: run 'npm install --save-dev typescript' to check them after every change");
      const onChange = (file: string | undefined) => {
        if (file !== undefined && !/\.(?:[cm]?ts|tsx)$|^(?:tsconfig|package)\.json$/.test(file)) return;
        clearTimeout(debounce);
        debounce = setTimeout(() => check(compiler), DEBOUNCE_MS);
      };
      watching = watchSources(root, onChange, (error) => log(`types are not checked after every change: ${error.message}`));
      check(compiler);
    },
    async [Symbol.asyncDispose]() {
      watching?.[Symbol.dispose]();
      clearTimeout(debounce);
      latestCheck++;
      await cancel();
      rmSync(path.join(root, BUILD_INFO), { force: true });
    },
  };
}

/**
 * Watches the folders of the project without its packages, build results and hidden folders. Each by itself: the recursive watch of Node 20 on Linux
 * follows inodes, and loses a file that an editor saves by renaming another one over it.
 */
function watchSources(root: string, onChange: (file: string | undefined) => void, onError: (error: Error) => void): Disposable {
  const watchers = new Map<string, FSWatcher>();
  const add = (folder: string): void => {
    try {
      watchFolder(folder);
    } catch (error) {
      close(folder);
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") onError(error as Error);
    }
  };
  const watchFolder = (folder: string): void => {
    watchers.set(
      folder,
      watch(folder, (event, file) => {
        if (file !== null && isIgnored(file)) return;
        if (event === "change" || file === null) return onChange(file ?? undefined);
        const target = path.join(folder, file);
        close(target);
        const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
        if (isFolder) add(target);
        onChange(isFolder ? undefined : file);
      }).on("error", onError),
    );
    for (const each of readdirSync(folder, { withFileTypes: true }))
      if (each.isDirectory() && !isIgnored(each.name)) add(path.join(folder, each.name));
  };
  const close = (folder: string): void => {
    for (const [name, watcher] of watchers) {
      if (name !== folder && !name.startsWith(`${folder}${path.sep}`)) continue;
      watcher.close();
      watchers.delete(name);
    }
  };
  add(root);
  return { [Symbol.dispose]: () => close(root) };
}
const isIgnored = (name: string) => /^(?:\.|node_modules$|dist$)/.test(name);

function findCompiler(root: string): string | undefined {
  if (!existsSync(path.join(root, "tsconfig.json"))) return undefined;
  try {
    return path.join(path.dirname(createRequire(path.join(root, "package.json")).resolve("typescript/package.json")), "bin", "tsc");
  } catch {
    return undefined;
  }
}

/** Returns the lines of TypeScript with positions as the build reports them: "src/store.ts:3:5". */
export function formatTypeErrors(output: string): readonly string[] {
  return output
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/^([^\s(].*?)\((\d+),(\d+)\): /, "$1:$2:$3: "));
}
