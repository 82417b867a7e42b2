import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { parseMinor } from "./kubectls.ts";

/** One kubectl command and how to run it. In YAML, a string is a step with only a command. */
export interface CommandStep {
  /** The command line after `kubectl`. */
  readonly run: string;
  readonly stdin?: string | undefined;
  /** A sed script that replaces the editor. Default: the editor changes nothing. */
  readonly edit?: string | undefined;
  /** Repeats the command until stdout matches this regular expression. */
  readonly until?: string | undefined;
  /** For a command that does not exit: after so many lines, run the commands of `do`; stop it after `until` lines. */
  readonly watch?: { readonly after: number; readonly do: readonly string[]; readonly until: number } | undefined;
  /** For `explain` of a built-in kind: its descriptions are not compared. */
  readonly prose?: boolean | undefined;
  /** The lines come in any order and are sorted before the comparison. */
  readonly unordered?: boolean | undefined;
  /** The first and last kubectl minor that runs this step. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A sequence of commands, in a namespace of its own. */
export interface KubectlScenario {
  readonly name: string;
  /** `api`: an API server alone; `cluster`: with controllers and a node; `operator`: with the Memcached operator too. */
  readonly on: "api" | "cluster" | "operator";
  /** The files that the commands read, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly steps: readonly CommandStep[];
}

interface ScenarioFile {
  readonly on?: KubectlScenario["on"];
  readonly files?: KubectlScenario["files"];
  readonly steps: readonly (string | CommandStep)[];
}

export async function readScenario(file: URL): Promise<KubectlScenario> {
  const { on = "api", files = {}, steps } = parse(await readFile(file, "utf8")) as ScenarioFile;
  const name = file.pathname.replace(/^.*\/(.*)\.yaml$/, "$1");
  return { name, on, files, steps: steps.map((step) => (typeof step === "string" ? { run: step } : step)) };
}

/** Selects the steps for a kubectl minor. */
export function selectSteps({ steps }: KubectlScenario, minor: string): readonly CommandStep[] {
  const at = parseMinor(minor);
  return steps.filter(({ from = minor, to = minor }) => parseMinor(from) <= at && at <= parseMinor(to));
}
