import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { behaviourChecks } from "./behaviour.ts";
import { childrenChecks } from "./children.ts";
import { readSnippets } from "./snippets.ts";
import { runCheck } from "./start-guide.ts";
import { topicChecks } from "./topics.ts";
import { watchChecks } from "./watches.ts";

const root = path.join(import.meta.dirname, "../..");
const docs = path.join(root, "docs");
const TOPICS = ["finalizers", "requeue", "ownership", "conditions", "leader-election", "cache", "watches", "failures", "why"];
const snippets = ["controllers.md", ...TOPICS.map((name) => `guides/${name}.md`)].flatMap(readSnippets);
const checks = { ...childrenChecks, ...watchChecks, ...behaviourChecks, ...topicChecks };

afterEach(() => {
  vi.unstubAllGlobals();
});

test("every snippet of the guides has a check, and every check a snippet", () => {
  expect(Object.keys(checks).sort()).toEqual(snippets.map(({ id }) => id).sort());
});

test.each(snippets)("docs/$id does what the text says", async ({ id, file }) => {
  const check = checks[id];
  if (check === undefined) throw new Error(`${id} has no check`);
  await runCheck(await import(/* @vite-ignore */ file), check);
});

test("every snippet compiles", { timeout: 60_000 }, () => {
  const folder = path.join(root, "node_modules/.cache/guide-snippets");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const compilerOptions = { tsBuildInfoFile: path.join(folder, "tsbuildinfo") };
  const tsconfig = { extends: path.join(root, "tsconfig.json"), compilerOptions, include: [], files: [] as string[] };
  for (const { id, code } of [...snippets, ...readSnippets("configuration.md")]) {
    const name = `${id.replaceAll(/[^\w-]/g, ".")}.ts`;
    writeFileSync(path.join(folder, name), code);
    tsconfig.files.push(name);
  }
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});

describe("docs/controllers.md mentions every option of", () => {
  const guide = readFileSync(path.join(docs, "controllers.md"), "utf8");
  const reports = ["pintle", "pintle-kinds"].map((name) => readFileSync(path.join(docs, `api/${name}.md`), "utf8")).join("\n");
  const membersOf = (type: string) => {
    const [, body = ""] = new RegExp(`^export interface ${type}\\b.*\\{\\n([\\s\\S]*?)^\\}`, "m").exec(reports) ?? [];
    return [...body.matchAll(/^ {4}(?:readonly )?(\w+)[?(<:]/gm)].map(([, name]) => name as string);
  };

  test.each([
    "ControllerOptions",
    "WatchDeclaration",
    "LabelMapping",
    "AnnotationMapping",
    "NameMapping",
    "SelectorMapping",
    "ReconcileContext",
    "DaemonContext",
    "DesiredState",
    "ConditionValue",
    "PendingFinalization",
    "ChildOptions",
    "PolicyRuleGrant",
    "OwnedLister",
  ])("%s", (type) => {
    const members = membersOf(type);
    expect(members).not.toEqual([]);
    expect(members.filter((name) => !new RegExp(`\\b${name}\\b`).test(guide))).toEqual([]);
  });
});
