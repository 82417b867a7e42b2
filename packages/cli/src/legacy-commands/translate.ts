export interface TranslatedCommand {
  /** The equivalent arguments of `pintle`. */
  readonly args: readonly string[];
  /** One line for each flag that is ignored. */
  readonly notes: readonly string[];
}

type LegacyRule = readonly [
  old: readonly string[],
  translate: (words: LegacyFlags) => readonly string[],
  /** Flags of this command alone that have no equivalent, with the reason. */
  removed?: Readonly<Record<string, string>>,
];

const REMOVED_BUNDLE_FLAGS: Readonly<Record<string, string>> = {
  package: "set olm.package in pintle.config.ts",
  version: "the version is that of package.json",
  "extra-service-accounts": "bundles have the ServiceAccount of the operator only",
  "kustomize-dir": "bundles are written from the code",
  "input-dir": "bundles are written from the code",
  "deploy-dir": "bundles are written from the code",
  "crds-dir": "bundles are written from the code",
};

const REMOVED_RUN_BUNDLE_FLAGS: Readonly<Record<string, string>> = {
  "index-image": "no catalog is needed",
  mode: "no catalog is needed",
  "install-mode": "the bundle decides; one namespace is watched with spec.config of the ClusterExtension",
  "ca-secret-name": "authorities of registries are those of the manager's image",
  "pull-secret-name": "logins are those of the manager: pintle operator setup --pull-secret",
  "service-account": "OLM v1 has no ServiceAccounts for installations",
  "security-context-config": "no pod for a catalog is needed",
  "decompression-image": "no pod for a catalog is needed",
  "skip-tls": "use --insecure-registry for plain HTTP",
};
const REMOVED_CLEANUP_FLAGS: Readonly<Record<string, string>> = {
  "delete-all": "definitions and objects are deleted together",
  "delete-crds": "definitions and objects are deleted together",
  "delete-operator-groups": "OLM v1 has no OperatorGroups",
  namespace: "extensions have no namespace",
  n: "extensions have no namespace",
};
const REMOVED_OLM_FLAGS: Readonly<Record<string, string>> = {
  version: "the version is that of pintle",
  "olm-namespace": "the namespace is olmv1-system",
};

/** Flags that have no equivalent, with the reason. */
const REMOVED_FLAGS: Readonly<Record<string, string>> = {
  repo: "pintle projects have no Go module",
  "skip-validation": "there is nothing to validate",
  vendor: "dependencies are installed by npm",
  "git-init": "run git init if you need a repository",
  type: "operators are written in TypeScript",
  plugins: "pintle has no plugins",
  owner: "no license headers are generated",
  license: "no license headers are generated",
  "skip-go-version-check": "pintle projects do not use Go",
  "fetch-deps": "dependencies are installed by npm",
  "project-version": "there is a single project layout",
  make: "pintle projects have no Makefile",
  force: "existing files are never overwritten",
  "image-builder": "images are built without Docker",
  "crd-version": "CRDs always use apiextensions.k8s.io/v1",
  channels: "set olm.channels in pintle.config.ts",
  "default-channel": "the first of olm.channels in pintle.config.ts is the default channel",
  "storage-image": "tests print their results",
  "untar-image": "bundles are mounted without unpacking",
  "test-output": "tests print their results",
  overwrite: "generated files are always replaced",
  "skip-tls-verify": "certificates are always verified; add the authority with NODE_EXTRA_CA_CERTS",
  "enable-delve": "use pintle dev --inspect for a debugger",
};
const BOOLEAN_FLAGS = [
  "skip-validation",
  "vendor",
  "git-init",
  "make",
  "force",
  "skip-go-version-check",
  "fetch-deps",
  "enable-delve",
  "use-image-digests",
  "overwrite",
  "list-optional",
  "list",
  "skip-cleanup",
  "L",
  "x",
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
  "use-http",
  "skip-tls",
  "delete-all",
  "delete-crds",
  "delete-operator-groups",
  "skip-tls-verify",
  "migrate",
];

const LEGACY_COMMANDS: readonly LegacyRule[] = [
  [["new"], (words) => ["init", ...words.positionals, ...initFlags(words), "--yes"]],
  [["add", "api"], (words) => ["create", "api", ...gvkFlags(words, "--group"), ...words.remaining()]],
  [["add", "controller"], (words) => ["create", "controller", ...gvkFlags(words, "--group"), ...words.remaining()]],
  [["add", "crd"], (words) => ["create", "api", ...gvkFlags(words, "--group"), ...words.remaining(), "--no-controller"]],
  [["generate", "k8s"], () => ["generate"]],
  [["generate", "crds"], () => ["generate"]],
  [["generate", "openapi"], () => ["generate"]],
  [["manifests"], () => ["generate"]],
  [["generate", "bundle"], (words) => ["bundle", ...words.remaining()], REMOVED_BUNDLE_FLAGS],
  [["bundle", "validate"], validateArgs],
  [["alpha", "render-template"], renderTemplateArgs],
  [["alpha", "render-graph"], (words) => ["catalog", "graph", ...words.positionals, ...registryArgs(words), ...renderGraphArgs(words)]],
  [["render"], (words) => ["catalog", "render", ...renderArgs(words)]],
  [["validate"], (words) => ["catalog", "check", ...words.remaining()]],
  [["run", "bundle-upgrade"], installBundleArgs, REMOVED_RUN_BUNDLE_FLAGS],
  [["run", "bundle"], installBundleArgs, REMOVED_RUN_BUNDLE_FLAGS],
  [
    ["cleanup"],
    (words) => ["operator", "uninstall", ...words.positionals, "--delete-objects", ...timeoutArgs(words), ...targetArgs(words)],
    REMOVED_CLEANUP_FLAGS,
  ],
  [["olm", "install"], (words) => ["operator", "setup", ...timeoutArgs(words), ...targetArgs(words)], REMOVED_OLM_FLAGS],
  [
    ["olm", "uninstall"],
    (words) => ["operator", "setup", "--remove", ...targetArgs(words)],
    { ...REMOVED_OLM_FLAGS, timeout: "it waits as long as it takes" },
  ],
  [["olm", "status"], (words) => ["operator", "list", ...targetArgs(words)], { ...REMOVED_OLM_FLAGS, timeout: "nothing is waited for" }],
  [["up", "local"], runArgs],
  [["run", "local"], runArgs],
  [["docker-build"], (words) => ["build", ...imageArgs(words), ...remainingArgs(words)]],
  [["docker-push"], (words) => ["push", ...imageArgs(words), ...remainingArgs(words)]],
  [["build-installer"], (words) => ["generate", ...imageArgs(words, "--image")]],
];

/** Translates the arguments of a legacy command; undefined if they are already valid `pintle` arguments. */
export function translateLegacyCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TranslatedCommand | undefined {
  const notes: string[] = [];
  const rule = LEGACY_COMMANDS.find(([old]) => old.every((word, i) => args[i] === word));
  const translated =
    rule === undefined ? translateRenamedFlags(args, notes) : rule[1](dropRemovedFlags(args.slice(rule[0].length), notes, rule[2]));
  if (translated === undefined) return undefined;
  const needsImage = ["build", "push", "deploy"].includes(translated[0]!) && env["IMG"] !== undefined && rule !== undefined;
  const completed = needsImage && translated.length === 1 ? [...translated, env["IMG"]!] : translated;
  return { args: completed, notes };
}

/** Translates commands that kept their name but whose flags changed. */
function translateRenamedFlags(args: readonly string[], notes: string[]): readonly string[] | undefined {
  const [first, second] = args;
  const hasFlag = (...flags: string[]) => args.some((word) => flags.some((flag) => word === `--${flag}` || word.startsWith(`--${flag}=`)));
  if (
    first === "init" &&
    hasFlag("repo", "plugins", "owner", "license", "project-name", "skip-go-version-check", "fetch-deps", "project-version")
  ) {
    const rest = dropRemovedFlags(args.slice(1), notes);
    const name = rest.take("project-name");
    return [
      "init",
      rest.positionals[0] ?? ".",
      ...(name === undefined ? [] : ["--name", name]),
      ...rest.remaining().filter((word) => word !== rest.positionals[0]),
      "--no-api",
      "--yes",
    ];
  }
  if (
    first === "create" &&
    (second === "api" || second === "webhook") &&
    hasFlag("resource", "controller", "make", "force", "namespaced", "programmatic-validation", "api-version")
  ) {
    const rest = dropRemovedFlags(args.slice(2), notes);
    const [controller, namespaced, validation] = [rest.take("controller"), rest.take("namespaced"), rest.take("programmatic-validation")];
    rest.take("resource");
    return [
      ...["create", second],
      ...gvkFlags(rest, "--group"),
      ...rest.remaining(),
      ...(controller === "false" ? ["--no-controller"] : []),
      ...(namespaced === "false" ? ["--cluster-scoped"] : []),
      ...(validation === undefined ? [] : ["--validation"]),
    ];
  }
  if (first === "scorecard" && hasFlag("storage-image", "untar-image", "test-output")) {
    return ["scorecard", ...dropRemovedFlags(args.slice(1), notes).remaining()];
  }
  if (first === "build" && hasFlag("image-builder")) return ["build", ...dropRemovedFlags(args.slice(1), notes).remaining()];
  if (first === "deploy" && args.some((word) => word.startsWith("IMG="))) {
    const rest = parseLegacyFlags(args.slice(1), BOOLEAN_FLAGS);
    return ["deploy", ...imageArgs(rest, "--image"), ...remainingArgs(rest)];
  }
  return first === "run" && hasFlag("local") ? runArgs(dropRemovedFlags(args.slice(1), notes)) : undefined;
}

function dropRemovedFlags(args: readonly string[], notes: string[], removed: Readonly<Record<string, string>> = {}): LegacyFlags {
  const taken = parseLegacyFlags(args, BOOLEAN_FLAGS);
  for (const [flag, why] of Object.entries({ ...REMOVED_FLAGS, ...removed }))
    if (taken.take(flag) !== undefined) notes.push(`--${flag} is ignored: ${why}`);
  return taken;
}

/** Translates `--api-version app.example.com/v1alpha1 --kind AppService`. */
function gvkFlags(flags: LegacyFlags, group: "--group" | "--domain"): readonly string[] {
  const api = flags.take("api-version");
  if (api === undefined) return [];
  const [name = "", version] = api.split("/");
  const kind = flags.take("kind");
  return [group, name, ...(version === undefined ? [] : ["--version", version]), ...(kind === undefined ? [] : ["--kind", kind])];
}

/** opm's flags for references to images. */
function registryArgs(words: LegacyFlags): readonly string[] {
  return words.take("use-http") === undefined ? [] : ["--insecure-registry"];
}

function renderArgs(words: LegacyFlags): readonly string[] {
  const insecure = registryArgs(words);
  const template = words.take("alpha-image-ref-template");
  const migratesAll = words.take("migrate");
  return [
    ...words.remaining(),
    ...insecure,
    ...(template === undefined ? [] : ["--image-template", template]),
    ...(migratesAll === undefined || migratesAll === "false" ? [] : ["--migrate-level", "all"]),
  ];
}

/** The type of a template may come before its file; without a file, the template is read from stdin. */
function renderTemplateArgs(words: LegacyFlags): readonly string[] {
  const [first, second] = words.positionals;
  const type = ["basic", "semver", "substitutes"].find((name) => name === first);
  const file = (type === undefined ? first : second) ?? "-";
  const flags = renderArgs(words).filter((word) => !words.positionals.includes(word));
  return ["catalog", "render", file, ...(type === undefined ? [] : ["--type", type]), ...flags];
}

function renderGraphArgs(words: LegacyFlags): readonly string[] {
  const name = words.take("package-name");
  return name === undefined ? [] : ["--package", name];
}

/** A legacy project has no resource unless --kind is set. */
function initFlags(legacy: LegacyFlags): readonly string[] {
  const api = gvkFlags(legacy, "--domain");
  const flags = legacy.remaining().filter((word) => !legacy.positionals.includes(word));
  const given = [...api, ...flags];
  return [...given, ...(given.some((word) => word.startsWith("--kind")) ? [] : ["--no-api"])];
}

/** Validators that are not selected do not run, and the JSON has a version. */
function validateArgs(legacy: LegacyFlags): readonly string[] {
  const [list, selector] = [legacy.take("list-optional"), legacy.take("select-optional")];
  if (list !== undefined) return ["bundle", "--list-optional"];
  const output = legacy.take("output") ?? legacy.take("o");
  return [
    ...["bundle", "--validate", ...legacy.remaining(), "--select-optional", selector ?? "none"],
    ...(output === undefined || output === "text" ? [] : ["--output", output === "json-alpha1" ? "json" : output]),
  ];
}

function installBundleArgs(words: LegacyFlags): readonly string[] {
  const namespace = words.take("namespace") ?? words.take("n");
  const insecure = registryArgs(words);
  const where = namespace === undefined ? [] : ["--namespace", namespace];
  return ["operator", "install", "--bundle", ...words.positionals, ...where, ...insecure, ...timeoutArgs(words), ...targetArgs(words)];
}

/** Go writes durations as 2m0s. */
function timeoutArgs(words: LegacyFlags): readonly string[] {
  const text = words.take("timeout");
  if (text === undefined) return [];
  const [, hours = "0", minutes = "0", seconds = "0"] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return ["--timeout", total === 0 ? text : `${total}s`];
}

/** Flags that every command for a cluster has, and what else is left. */
function targetArgs(words: LegacyFlags): readonly string[] {
  return words.remaining().filter((word) => !words.positionals.includes(word));
}

function runArgs(legacy: LegacyFlags): readonly string[] {
  const flags = legacy.take("operator-flags");
  const [watched, namespace] = [legacy.take("watch-namespace"), legacy.take("namespace")];
  legacy.take("local");
  const where = watched ?? namespace;
  return [
    "run",
    ...(where === undefined ? [] : ["--namespace", where]),
    ...legacy.remaining(),
    ...(flags === undefined ? [] : ["--", ...flags.split(" ").filter(Boolean)]),
  ];
}

/** Reads `IMG=example.com/shop:1`, as passed to make. */
function imageArgs(legacy: LegacyFlags, flag?: string): readonly string[] {
  const given = legacy.positionals.find((word) => word.startsWith("IMG="))?.slice(4);
  return given === undefined ? [] : flag === undefined ? [given] : [flag, given];
}

const remainingArgs = (words: LegacyFlags) => words.remaining().filter((word) => !word.startsWith("IMG="));

/** Parsed arguments of a legacy command: flags with their values, and positional arguments. */
interface LegacyFlags {
  /** Removes a flag and returns its value: "" for a flag without value, undefined if it is not set. */
  take(name: string): string | undefined;
  /** The positional arguments. */
  readonly positionals: readonly string[];
  /** Returns the positional arguments and flags that were not taken, as given. */
  remaining(): readonly string[];
}

/** Parses arguments; `booleanFlags` take no value. */
function parseLegacyFlags(args: readonly string[], booleanFlags: readonly string[]): LegacyFlags {
  const flags = new Map<string, { readonly args: readonly string[]; readonly value: string }>();
  const positionals: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    const [, name, value] = /^--?([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    const next = args[i + 1];
    if (name === undefined) positionals.push(word);
    else if (value !== undefined || booleanFlags.includes(name) || next === undefined || /^-\S*$/.test(next))
      flags.set(name, { args: [word], value: value ?? "" });
    else {
      flags.set(name, { args: [word, next], value: next });
      i++;
    }
  }
  return {
    positionals,
    take(name) {
      const found = flags.get(name);
      flags.delete(name);
      return found?.value;
    },
    remaining: () => [...positionals, ...[...flags.values()].flatMap((flag) => flag.args)],
  };
}
