/** Completion scripts in real shells: the result of Tab after the start of a command line. */
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestProject } from "../../packages/cli/test/test-project.ts";

const LINES: readonly (readonly [begun: string, whole: string])[] = [
  ["pintle cre", "pintle create"],
  ["pintle create ap", "pintle create api"],
  ["pintle create api --ki", "pintle create api --kind"],
  ["pintle create api --kind Catalog --ext", "pintle create api --kind Catalog --external"],
  ["pintle cluster snap", "pintle cluster snapshot"],
  ["pintle deploy --yes --im", "pintle deploy --yes --image"],
];

/** A zsh with its own terminal and a key binding that prints the current line. */
const ZSH = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; autoload -Uz compinit; compinit -u -D; source $1; show() { print -r -- \\"<\\$BUFFER>\\"; BUFFER= }; zle -N show; bindkey '^G' show; print ready-\\$((1+1))"
zpty -r z out '*ready-2*'
shift
for line in "$@"; do
  zpty -w -n z "$line"$'\\t\\x07'
  zpty -r z out '*<*>*'
  print -r -- "$out"
done
zpty -d z
`;

const SHELLS: Readonly<Record<string, (script: string, folder: string) => readonly string[]>> = {
  zsh(script, folder) {
    const output = execFileSync("zsh", ["-f", path.join(folder, "try.zsh"), script, ...LINES.map(([typed]) => typed)], {
      encoding: "utf8",
    });
    return [...output.matchAll(/<(.*?) *>/g)].map(([, line]) => line!);
  },
  fish: (script) =>
    LINES.map(([typed]) => {
      const output = execFileSync("fish", ["--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', script, typed], {
        encoding: "utf8",
      });
      const [word] = output.split(/\t|\n/);
      return typed.replace(/\S*$/, word!);
    }),
};

describe.each(Object.keys(SHELLS))("%s", (shell) => {
  const isThere = spawnSync(shell, ["--version"]).status === 0;
  if (!isThere) console.warn(`\n!!! SKIPPED: no ${shell} on the PATH, so completion was not tested. Debian has it.\n`);
  test.skipIf(!isThere)("completes commands, their second words and their options", async () => {
    using here = createTestProject({ "try.zsh": ZSH });
    here.write("script", (await here.pintle("completion", shell)).out);
    expect(SHELLS[shell]!(path.join(here.root, "script"), here.root)).toEqual(LINES.map(([, completed]) => completed));
  });
});
