import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { order } from "./kubectls.ts";

/** One kubectl command and how to run it. In YAML, a bare string is a step that only runs. */
export interface Step {
  /** The command line after `kubectl`. */
  readonly run: string;
  readonly stdin?: string | undefined;
  /** What the editor does to the file, as a sed script; without it the editor leaves the file alone. */
  readonly edit?: string | undefined;
  /** Run it again until stdout matches this regular expression: what is awaited comes when it comes. */
  readonly until?: string | undefined;
  /** The command never ends by itself: with so many lines shown, do the next things, and end it at so many. */
  readonly watch?: { readonly after: number; readonly do: readonly string[]; readonly until: number } | undefined;
  /** `explain` of a built-in kind: its prose is not compared. */
  readonly prose?: boolean | undefined;
  /** Lines come in any order: what is compared is sorted. */
  readonly unordered?: boolean | undefined;
  /** A sentence that holds of this kubectl alone: only from or up to this minor. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Commands that make sense in this order, in a namespace of their own. */
export interface Chapter {
  readonly name: string;
  /** `api`: an API server alone; `cluster`: controllers and a node too; `operator`: the Memcached operator as well. */
  readonly on: "api" | "cluster" | "operator";
  /** Files the commands name, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Written {
  readonly on?: Chapter["on"];
  readonly files?: Chapter["files"];
  readonly steps: readonly (string | Step)[];
}

export async function readChapter(file: URL): Promise<Chapter> {
  const { on = "api", files = {}, steps } = parse(await readFile(file, "utf8")) as Written;
  const name = file.pathname.replace(/^.*\/(.*)\.yaml$/, "$1");
  return { name, on, files, steps: steps.map((step) => (typeof step === "string" ? { run: step } : step)) };
}

/** The steps that this kubectl can do. */
export function stepsFor({ steps }: Chapter, minor: string): readonly Step[] {
  const at = order(minor);
  return steps.filter(({ from = minor, to = minor }) => order(from) <= at && at <= order(to));
}
