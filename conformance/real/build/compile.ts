import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Binaries, stampFile } from "../binaries.ts";
import { applyCorrections } from "./corrections.ts";
import { go } from "./go.ts";
import { type Program, type Recipe, recipeOf, stamp } from "./recipes.ts";

/**
 * Builds one program inside `scratch` and moves it into the folder of the binaries. The moves are renames and the
 * stamp is written last, so a reader of the folder sees a complete program or none.
 */
export async function compile(
  program: Program,
  options: { readonly scratch: string; readonly to: Binaries; readonly signal: AbortSignal },
): Promise<void> {
  const { scratch, signal } = options;
  const { folder, kubernetes } = options.to;
  const recipe = recipeOf(program, kubernetes);
  await mkdir(folder, { recursive: true });
  const workspace = join(scratch, recipe.module.replaceAll("/", "_"));
  const module = await prepare(recipe, workspace, signal);

  const built = join(scratch, program);
  await go(["build", "-trimpath", "-ldflags", linkerFlags(recipe), "-o", built, recipe.main], { folder: workspace, signal });
  if (recipe.data) {
    const parts = recipe.data.parts.map((part) => readFile(join(module, part), "utf8"));
    const joined = (await Promise.all(parts)).join("\n---\n");
    await writeAtomically(joined, join(scratch, recipe.data.file), join(folder, recipe.data.file));
  }
  await chmod(built, 0o755);
  await rename(built, join(folder, program));
  await writeAtomically(stamp(recipe), join(scratch, "stamp"), stampFile(folder, program));
}

/** Writes a module that requires the recipe's module; returns the folder of its source. */
async function prepare(recipe: Recipe, workspace: string, signal: AbortSignal): Promise<string> {
  await mkdir(workspace, { recursive: true });
  const answer = await go(["mod", "download", "-json", `${recipe.module}@${recipe.version}`], {
    folder: workspace,
    signal,
  });
  const { GoMod, Dir } = JSON.parse(answer) as { GoMod: string; Dir: string };
  const original = await readFile(GoMod, "utf8");
  const replacement = recipe.corrections
    ? [`replace ${recipe.module} => ${await applyCorrections(Dir, workspace, recipe.corrections)}`, ""]
    : [];
  await writeFile(join(workspace, "go.mod"), buildGoMod(recipe, original) + replacement.join("\n"));
  return Dir;
}

/** Only a main module's `replace` directives apply, so those that the build needs are copied here. */
function buildGoMod(recipe: Recipe, original: string): string {
  const language = /^go \S+$/m.exec(original)?.[0] ?? "";
  const lines = ["module scratch", language, `require ${recipe.module} ${recipe.version}`];
  if (recipe.staging) {
    for (const [, name] of original.matchAll(/^(?:replace)?\s*(\S+) => \.\/staging\//gm)) {
      lines.push(`replace ${name} => ${name} ${recipe.staging}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function linkerFlags(recipe: Recipe): string {
  const variables = Object.entries(recipe.variables).map(([name, value]) => `-X ${name}=${value}`);
  return ["-s -w", ...variables].join(" ");
}

async function writeAtomically(content: string, temporary: string, path: string): Promise<void> {
  await writeFile(temporary, content);
  await rename(temporary, path);
}
