/**
 * The public surface of every package, checked in the declarations that tsc emits:
 *
 * - `docs/api/*.md` are the API reports: a change of a public signature is seen in review as a change of these files.
 * - Every exported value has a doc comment with an `@example`, and every example compiles as a module of its own. So does the code in READMEs and docs.
 * - Every exported type has a doc comment. Every option has one that says its default.
 *
 * `npm run public-api` checks all of it and is part of `npm run check`; `npm run public-api -- --write` writes the reports again.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { examplesOf, fencedCode, membersOf } from "./public-api/declarations.ts";
import { type EntryPoint, type PublicName, readEntryPoint } from "./public-api/surface.ts";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const reports = path.join(root, "docs/api");
/** Inside node_modules, so that examples resolve packages as a user's project does. */
const scratchParent = path.join(root, "node_modules/.cache");

/** Entry points that are not for users: unstable internals, programs, and built-in kinds, which are generated. */
const NOT_PUBLIC = /^\.\/(internal|kinds\/\*|dropin\/|describe-operator)/;

function main(write: boolean): void {
  mkdirSync(scratchParent, { recursive: true });
  const scratch = mkdtempSync(path.join(scratchParent, "public-api-"));
  try {
    const emitted = path.join(scratch, "emitted");
    emitDeclarations(scratch, emitted);
    const entryPoints = exportedModules((key) => !NOT_PUBLIC.test(key)).map(({ specifier, source }) =>
      readEntryPoint(emitted, specifier, source),
    );
    const problems = [
      ...docProblems(entryPoints),
      ...optionProblems(entryPoints),
      ...missingTypes(entryPoints),
      ...exampleProblems(entryPoints, scratch, emitted),
      ...compareReports(entryPoints, write),
    ];
    for (const problem of problems) console.error(problem);
    const names = entryPoints.reduce((sum, { names }) => sum + names.length, 0);
    console.log(`public API: ${entryPoints.length} entry points, ${names} names, ${problems.length} problems`);
    process.exitCode = problems.length > 0 ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function tsc(project: string): { readonly ok: boolean; readonly output: string } {
  const program = path.join(root, "node_modules/typescript/bin/tsc");
  const done = spawnSync(process.execPath, [program, "-p", project, "--pretty", "false"], { cwd: project, encoding: "utf8" });
  return { ok: done.status === 0, output: done.stdout + done.stderr };
}

function emitDeclarations(scratch: string, emitted: string): void {
  const project = path.join(scratch, "declarations");
  mkdirSync(project);
  const config = {
    extends: path.join(root, "tsconfig.base.json"),
    compilerOptions: { customConditions: ["@pintle/source"], declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: emitted },
    include: [path.join(root, "packages/*/src")],
    exclude: [path.join(root, "**/*.test.ts"), path.join(root, "**/*.test-d.ts"), path.join(root, "packages/console/src/page")],
  };
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify(config));
  const { ok, output } = tsc(project);
  if (!ok) throw new Error(`the declarations cannot be emitted:\n${output}`);
}

interface ExportedModule {
  /** As users import it; may contain a `*`. */
  readonly specifier: string;
  /** Relative to the repository. */
  readonly source: string;
}

function exportedModules(isWanted: (key: string) => boolean): readonly ExportedModule[] {
  return readdirSync(path.join(root, "packages")).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(path.join(root, "packages", folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports?: Readonly<Record<string, { readonly "@pintle/source": string }>>;
    };
    return Object.entries(manifest.exports ?? {})
      .filter(([key]) => isWanted(key))
      .map(([key, entry]) => ({
        specifier: path.posix.join(manifest.name, key),
        source: path.posix.join("packages", folder, entry["@pintle/source"]),
      }));
  });
}

/** The compiler option `paths` by which the packages resolve to their emitted declarations. */
function declarationPaths(emitted: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    exportedModules(() => true).map(({ specifier, source }) => [specifier, [path.join(emitted, source.replace(/\.ts$/, ".d.ts"))]]),
  );
}

function docProblems(entryPoints: readonly EntryPoint[]): string[] {
  return entryPoints.flatMap(({ specifier, names }) =>
    names
      .filter(({ file }) => file !== "")
      .flatMap(({ name, isValue, statements, file }) => {
        const where = `${file}: ${name} (exported by ${specifier})`;
        const doc = statements.map((statement) => statement.doc).join("\n");
        if (doc.trim() === "") return [`${where} has no doc comment`];
        return isValue && examplesOf(doc).length === 0 ? [`${where} has no @example`] : [];
      }),
  );
}

/** Types that users write: every member is documented, and an optional one says what applies without it. */
const OPTIONS =
  /(Options|Definition|Declaration|Config|Match|Rule|Backend|Connection|Ranges|Frequency|Overrides|ImageEntry|DesiredState|ConditionValue)$/;
/** Data with fixed meanings of its own: JSON Schema, RBAC, Kubernetes' API types. */
const NOT_OPTIONS = /^(PolicyRule|ResourcePolicyRule|ValidationRule|CustomResourceDefinition|DeleteOptions)$/;
const STATES_DEFAULT = /\bdefault/i;

function optionProblems(entryPoints: readonly EntryPoint[]): string[] {
  const problems = entryPoints.flatMap(({ names }) =>
    names
      .filter(({ name }) => OPTIONS.test(name) && !NOT_OPTIONS.test(name))
      .flatMap(({ name: type, file, statements }) =>
        statements.flatMap(membersOf).flatMap(({ name, isOptional, doc }) => {
          if (doc === "") return [`${file}: ${type}.${name} has no doc comment`];
          return isOptional && !STATES_DEFAULT.test(doc) ? [`${file}: ${type}.${name} is optional and its doc comment has no default`] : [];
        }),
      ),
  );
  return [...new Set(problems)];
}

/** Entry points that must export every type of their signatures; `pintle` keeps helper types of its inference to itself. */
const COMPLETE = /^@pintle\/cluster/;

function missingTypes(entryPoints: readonly EntryPoint[]): string[] {
  const complete = entryPoints.filter(({ specifier }) => COMPLETE.test(specifier));
  const exported = new Set(complete.flatMap(({ names }) => names.map(({ name }) => name)));
  return complete.flatMap(({ specifier, names }) => {
    return names.flatMap(({ name, referenced }) =>
      [...referenced].filter((each) => !exported.has(each)).map((each) => `${specifier}: ${name} refers to ${each}, which is not exported`),
    );
  });
}

/**
 * Compiles every example as a module, against the emitted declarations as in a user's project; reports the compiler's errors at the name that
 * the example belongs to.
 */
function exampleProblems(entryPoints: readonly EntryPoint[], scratch: string, emitted: string): string[] {
  const owners = new Map<string, Pick<PublicName, "name" | "file">>();
  for (const page of listPages())
    for (const [index, code] of fencedCode(readFileSync(path.join(root, page), "utf8")).entries()) {
      // Fragments, which refer to code before them, import nothing.
      if (!/^import .* from "@?pintle/m.test(code)) continue;
      const file = `page-${page.replace(/\.md$/, "").replaceAll("/", "-")}-${index}.ts`;
      owners.set(file, { file: page, name: `block ${index + 1}` });
      writeFileSync(path.join(scratch, file), code);
    }
  for (const { names } of entryPoints)
    for (const each of names)
      for (const [index, example] of each.statements.flatMap(({ doc }) => examplesOf(doc)).entries()) {
        const file = `${each.file.replace(/[^\w]+/g, "-")}-${each.name}-${index}.ts`;
        owners.set(file, each);
        writeFileSync(path.join(scratch, file), `${example}\nexport {};\n`);
      }
  const config = {
    extends: path.join(root, "tsconfig.base.json"),
    // What an example declares and does not use is there to be read.
    compilerOptions: { noEmit: true, noUnusedLocals: false, noUnusedParameters: false, paths: declarationPaths(emitted) },
    files: [...owners.keys()],
  };
  if (owners.size === 0) return [];
  writeFileSync(path.join(scratch, "tsconfig.json"), JSON.stringify(config));
  return tsc(scratch)
    .output.split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, file = "", rest = line] = /^([^(]+)(\(.*)$/.exec(line) ?? [];
      const owner = owners.get(path.basename(file));
      return owner === undefined ? line : `${owner.file}: the example of ${owner.name} does not compile: ${rest}`;
    });
}

/** The pages for users whose code is compiled: the READMEs, and all of docs but the API reports. */
function listPages(): readonly string[] {
  const listMarkdown = (folder: string) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => path.posix.join(folder, name));
  return [
    "README.md",
    ...readdirSync(path.join(root, "packages")).flatMap((name) => listMarkdown(`packages/${name}`)),
    ...listMarkdown("docs"),
    ...listMarkdown("docs/guides"),
  ];
}

function compareReports(entryPoints: readonly EntryPoint[], write: boolean): string[] {
  mkdirSync(reports, { recursive: true });
  const wanted = new Map(entryPoints.map((entry) => [`${entry.specifier.replace(/^@/, "").replaceAll("/", "-")}.md`, report(entry)]));
  const problems: string[] = [];
  for (const [name, text] of wanted) {
    const file = path.join(reports, name);
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    if (write) writeFileSync(file, text);
    else problems.push(`docs/api/${name} is out of date: the public API has changed. Run: npm run public-api -- --write`);
  }
  for (const name of readdirSync(reports).filter((each) => each !== "README.md" && !wanted.has(each))) {
    if (write) rmSync(path.join(reports, name));
    else problems.push(`docs/api/${name} belongs to no entry point. Run: npm run public-api -- --write`);
  }
  return problems;
}

function report({ specifier, names }: EntryPoint): string {
  const declarations = names.map(({ name, statements, file }) => {
    const text = statements.map(({ text }) => text).join("\n");
    return file === "" ? text : `// ${name}\n${text}`;
  });
  return `# API report: ${specifier}\n\nGenerated by \`npm run public-api -- --write\` from the emitted declarations. ${names.length} names.\n\n\`\`\`ts\n${declarations.join("\n\n")}\n\`\`\`\n`;
}

main(process.argv.includes("--write"));
