import { type Line, line } from "./line.ts";

export interface Modern {
  /** The same in the words of today. */
  readonly words: readonly string[];
  /** What went away, and why nobody misses it. */
  readonly notes: readonly string[];
}

type Rule = readonly [old: readonly string[], translate: (words: Line) => readonly string[]];

/** Flags that Go, make or Docker needed. */
const GONE: Readonly<Record<string, string>> = {
  repo: "there is no Go module to name",
  "skip-validation": "nothing of the kind is checked",
  vendor: "npm installs dependencies",
  "git-init": "run git init yourself",
  type: "operators are written in TypeScript",
  plugins: "there are no plugins",
  owner: "no licence headers are written",
  license: "no licence headers are written",
  "skip-go-version-check": "there is no Go",
  "fetch-deps": "npm install fetches them",
  "project-version": "there is one layout",
  make: "there is no Makefile",
  force: "what is there is never overwritten",
  "image-builder": "images are built without Docker",
  "crd-version": "definitions are always apiextensions.k8s.io/v1",
  "enable-delve": "use pintle dev --inspect for a debugger",
};
const ALONE = [
  "skip-validation",
  "vendor",
  "git-init",
  "make",
  "force",
  "skip-go-version-check",
  "fetch-deps",
  "enable-delve",
  "resource",
  "controller",
  "local",
  "yes",
  "y",
  "no-controller",
  "cluster-scoped",
  "external",
  "push",
  "insecure-registry",
  "check",
  "defaulting",
  "programmatic-validation",
  "validation",
  "conversion",
];

const RULES: readonly Rule[] = [
  [["new"], (words) => ["init", ...words.rest, ...first(words), "--yes"]],
  [["add", "api"], (words) => ["create", "api", ...named(words, "--group"), ...words.left()]],
  [["add", "controller"], (words) => ["create", "controller", ...named(words, "--group"), ...words.left()]],
  [["add", "crd"], (words) => ["create", "api", ...named(words, "--group"), ...words.left(), "--no-controller"]],
  [["generate", "k8s"], () => ["generate"]],
  [["generate", "crds"], () => ["generate"]],
  [["generate", "openapi"], () => ["generate"]],
  [["manifests"], () => ["generate"]],
  [["up", "local"], local],
  [["run", "local"], local],
  [["docker-build"], (words) => ["build", ...image(words), ...others(words)]],
  [["docker-push"], (words) => ["push", ...image(words), ...others(words)]],
  [["build-installer"], (words) => ["generate", ...image(words, "--image")]],
];

/** A line in words that nobody should have to forget; undefined for one that is of today. */
export function modern(words: readonly string[], env: Readonly<Record<string, string | undefined>>): Modern | undefined {
  const notes: string[] = [];
  const rule = RULES.find(([old]) => old.every((word, i) => words[i] === word));
  const translated = rule === undefined ? today(words, notes) : rule[1](without(words.slice(rule[0].length), notes));
  if (translated === undefined) return undefined;
  const needsImage = ["build", "push", "deploy"].includes(translated[0]!) && env["IMG"] !== undefined && rule !== undefined;
  const filled = needsImage && translated.length === 1 ? [...translated, env["IMG"]!] : translated;
  return { words: filled, notes };
}

/** Verbs that are the same, with flags that were other ones. */
function today(words: readonly string[], notes: string[]): readonly string[] | undefined {
  const [first, second] = words;
  const has = (...flags: string[]) => words.some((word) => flags.some((flag) => word === `--${flag}` || word.startsWith(`--${flag}=`)));
  if (
    first === "init" &&
    has("repo", "plugins", "owner", "license", "project-name", "skip-go-version-check", "fetch-deps", "project-version")
  ) {
    const rest = without(words.slice(1), notes);
    const name = rest.take("project-name");
    return [
      "init",
      rest.rest[0] ?? ".",
      ...(name === undefined ? [] : ["--name", name]),
      ...rest.left().filter((word) => word !== rest.rest[0]),
      "--no-api",
      "--yes",
    ];
  }
  if (
    first === "create" &&
    (second === "api" || second === "webhook") &&
    has("resource", "controller", "make", "force", "namespaced", "programmatic-validation", "api-version")
  ) {
    const rest = without(words.slice(2), notes);
    const [controller, namespaced, validation] = [rest.take("controller"), rest.take("namespaced"), rest.take("programmatic-validation")];
    rest.take("resource");
    return [
      ...["create", second],
      ...named(rest, "--group"),
      ...rest.left(),
      ...(controller === "false" ? ["--no-controller"] : []),
      ...(namespaced === "false" ? ["--cluster-scoped"] : []),
      ...(validation === undefined ? [] : ["--validation"]),
    ];
  }
  if (first === "build" && has("image-builder")) return ["build", ...without(words.slice(1), notes).left()];
  if (first === "deploy" && words.some((word) => word.startsWith("IMG="))) {
    const rest = line(words.slice(1), ALONE);
    return ["deploy", ...image(rest, "--image"), ...others(rest)];
  }
  return first === "run" && has("local") ? local(without(words.slice(1), notes)) : undefined;
}

function without(words: readonly string[], notes: string[]): Line {
  const taken = line(words, ALONE);
  for (const [flag, why] of Object.entries(GONE)) if (taken.take(flag) !== undefined) notes.push(`--${flag} is not needed: ${why}`);
  return taken;
}

/** `--api-version app.example.com/v1alpha1 --kind AppService` */
function named(words: Line, group: "--group" | "--domain"): readonly string[] {
  const api = words.take("api-version");
  if (api === undefined) return [];
  const [name = "", version] = api.split("/");
  const kind = words.take("kind");
  return [group, name, ...(version === undefined ? [] : ["--version", version]), ...(kind === undefined ? [] : ["--kind", kind])];
}

/** A new project had no resource, unless one was named. */
function first(words: Line): readonly string[] {
  const api = named(words, "--domain");
  const flags = words.left().filter((word) => !words.rest.includes(word));
  const given = [...api, ...flags];
  return [...given, ...(given.some((word) => word.startsWith("--kind")) ? [] : ["--no-api"])];
}

function local(words: Line): readonly string[] {
  const flags = words.take("operator-flags");
  const [watched, namespace] = [words.take("watch-namespace"), words.take("namespace")];
  words.take("local");
  const where = watched ?? namespace;
  return [
    "run",
    ...(where === undefined ? [] : ["--namespace", where]),
    ...words.left(),
    ...(flags === undefined ? [] : ["--", ...flags.split(" ").filter(Boolean)]),
  ];
}

/** `IMG=example.com/shop:1`, as make takes it. */
function image(words: Line, flag?: string): readonly string[] {
  const given = words.rest.find((word) => word.startsWith("IMG="))?.slice(4);
  return given === undefined ? [] : flag === undefined ? [given] : [flag, given];
}

const others = (words: Line) => words.left().filter((word) => !word.startsWith("IMG="));
