import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CommandError } from "../command.ts";
import { NODE_FLAGS } from "../project/index.ts";

const ASK = "import(process.argv[1]).then((all) => process.stdout.write(JSON.stringify(Object.keys(all)), () => process.exit()))";

/**
 * For each package that is imported while an operator runs, a module that exports what Node would give for it, name by name.
 * Bundlers that split code hand over a CommonJS package as its default only, because nothing in it says what its names are.
 */
export async function wholeModules(root: string, packages: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(packages)].sort().map(async (name) => {
    const args = [...NODE_FLAGS, "--input-type=module", "--eval", ASK, name];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error: Error & { stderr?: string }) => {
      throw new CommandError(
        `pintle build: ${name} cannot be imported: ${
          (error.stderr ?? error.message)
            .trim()
            .split("\n")
            .find((line) => /Error/.test(line)) ?? error.message
        }`,
      );
    });
    const names = (JSON.parse(stdout) as readonly string[]).filter((each) => /^[A-Za-z_$][\w$]*$/.test(each)).sort();
    return [name, `export { ${names.join(", ")} } from ${JSON.stringify(name)};\n`] as const;
  });
  return new Map(await Promise.all(asked));
}
