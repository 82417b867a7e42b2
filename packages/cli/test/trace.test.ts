import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startCluster } from "@pintle/cluster";
import { controller, defineResource, silentLogger, startManager, z } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { ConfigMap, Secret } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { createTestProject } from "./test-project.ts";

/** The source of an operator, and the operator itself. `size` is what its ConfigMap says. */
const source = (text: string) => `import { controller, defineResource, run, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";
const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
const notes = controller(Note, {
  owns: [ConfigMap],
  reconcile({ object: { metadata, spec }, want }) {
    if (spec.text === "bad") throw new Error("cannot write bad notes");
    return want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: ${text} } }) } });
  },
});
await run({ controllers: [notes] });
`;
const Note = defineResource({ group: "example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });
const notes = controller(Note, {
  owns: [ConfigMap],
  reconcile({ object: { metadata, spec }, want }) {
    if (spec.text === "bad") throw new Error("cannot write bad notes");
    return want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) } });
  },
});

const VITEST = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));
/** Resolves the packages to their sources; a user's project needs no such file. */
const VITEST_CONFIG = `const resolve = { conditions: ["@pintle/source"] };\nexport default { resolve, ssr: { resolve } };\n`;

async function recordSession(file: string, texts: readonly string[]): Promise<void> {
  await using cluster = await startCluster({ recorder: true });
  const client = cluster.client({ user: { name: "jane", groups: ["system:masters"] } });
  await client.create(CustomResourceDefinition, Note.crd() as never);
  await cluster.settled();
  const manager = startManager({ controllers: [notes], client: cluster.client(), recorder: cluster.recorder, logger: silentLogger });
  await manager.ready;
  // The controllers of the embedded cluster are recorded, too.
  const labels = { app: "web" };
  await client.create(Deployment, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  await client.create(Secret, { metadata: { name: "s", namespace: "default" }, data: { password: "Y29ycmVjdCBob3JzZQ==" } });
  for (const text of texts) {
    await client.apply(Note, { metadata: { name: "a", namespace: "default" }, spec: { text } });
    await cluster.settled();
  }
  await manager.stop();
  await cluster.writeTrace(file, { source: "test", test: { name: "keeps notes", error: "Error: \u001b[31mno\u001b[0m" } });
}

test("a trace file is shown, checked, compared, and replayed with the code of the project", { timeout: 120_000 }, async () => {
  using here = createTestProject({
    "package.json": JSON.stringify({ name: "notes", version: "1.0.0", type: "module" }),
    "src/main.ts": source("spec.text"),
  });
  const [file, other] = ["a.pintle-trace", "b.pintle-trace"].map((name) => path.join(here.root, name)) as [string, string];
  await recordSession(file, ["one", "two", "bad"]);
  await recordSession(other, ["one", "two"]);

  const shown = await here.pintle("trace", "show", "a.pintle-trace");
  expect(shown.code).toBe(0);
  expect(shown.out).toMatch(/^test: keeps notes\nError: \\u001b\[31mno/);
  expect(shown.out).toMatch(/failed runs:\n {2}\S+ note default\/a: cannot write bad notes\n {4}at .*trace\.test\.ts:\d+/);
  const story = await here.pintle("trace", "show", "a.pintle-trace", "configmaps", "a");
  expect(story.out).toMatch(/r\d+ wrote configmaps\/default\/a: \.data\.text "one" -> "two"/);
  expect(story.out).toContain("by jane");
  const own = await here.pintle("trace", "show", "a.pintle-trace", "notes", "a", "-n", "default");
  expect(own.out).toMatch(/run \S+ of note: success, waited/);
  expect(own.out).toMatch(/apply ConfigMap default\/a \(desired state changed; \.data\.text "one" -> "two"\)/);
  expect(JSON.parse((await here.pintle("trace", "show", "a.pintle-trace", "-o", "json")).out)).toMatchObject({ about: { source: "test" } });
  expect(await here.pintle("trace", "show", "a.pintle-trace", "pods", "nope")).toMatchObject({
    code: 1,
    err: expect.stringContaining("has no pods nope"),
  });

  expect(await here.pintle("trace", "check", "a.pintle-trace")).toMatchObject({
    code: 0,
    out: expect.stringContaining("no secrets found"),
  });
  const bytes = readFileSync(file);
  writeFileSync(path.join(here.root, "cut.pintle-trace"), bytes.subarray(0, bytes.length / 2));
  for (const command of [["trace", "show"], ["trace", "check"], ["replay"], ["trace", "diff", "a.pintle-trace"]]) {
    const refused = await here.pintle(...command, "cut.pintle-trace");
    expect(refused).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^error: .*cut\.pintle-trace is truncated or damaged \(PINTLE6572\)\n$/),
    });
  }

  expect(await here.pintle("trace", "diff", "b.pintle-trace", "b.pintle-trace")).toMatchObject({ code: 0, out: "no differences\n" });
  const diff = await here.pintle("trace", "diff", "b.pintle-trace", "a.pintle-trace");
  expect(diff.code).toBe(1);
  // The hashes of the same secret differ between recordings.
  expect(diff.out).not.toContain("secrets/default/s");
  expect(diff.out).toMatch(/example\.com\/notes\/default\/a: \.spec\.text "two" -> "bad"/);
  expect(diff.out).toMatch(/note default\/a: errors \[\] -> \["cannot write bad notes"\]/);

  const same = await here.pintle("replay", "a.pintle-trace");
  expect(same.err).toBe("");
  expect(same.out).toMatch(/\d+ runs, \d+ passes: \d+ the same, 0 otherwise, 0 not comparable\n$/);
  expect(same.code).toBe(0);
  here.write("src/main.ts", source("spec.text.toUpperCase()"));
  const changed = await here.pintle("replay", "b.pintle-trace");
  expect(changed.code).toBe(1);
  expect(changed.out).toMatch(/decides otherwise:\n {4}apply ConfigMap default\/a: was .*"one".*, is .*"ONE"/);
  const [, run = ""] = /run (\S+) of note default\/a \(success\)/.exec(changed.out) ?? [];
  expect(await here.pintle("replay", "b.pintle-trace", "--run", run, "--as-test", "test/regression.test.ts")).toMatchObject({ code: 0 });
  expect(here.read("test/regression.test.ts")).toContain(`replayRun(controllers, facts, "${run}")`);
  // Loading an operator takes longer than the five seconds that a test has by default.
  expect(here.read("test/regression.test.ts")).toContain("{ timeout: 60_000 }");
  // The test fails with this code, and passes with that of the recording.
  here.write("vitest.config.ts", VITEST_CONFIG);
  const runTest = () =>
    promisify(execFile)(process.execPath, [VITEST, "run", "test/regression.test.ts"], { cwd: here.root }).then(
      () => "passed",
      ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => stdout + stderr,
    );
  const failed = await runTest();
  for (const part of ["decides about default/a as recorded", "AssertionError", "ONE"]) expect(failed).toContain(part);
  here.write("src/main.ts", source("spec.text"));
  expect(await runTest()).toBe("passed");
  expect(await here.pintle("replay", "b.pintle-trace", "--as-test", "test/other.test.ts")).toMatchObject({ code: 2 });
  expect(await here.pintle("replay", "b.pintle-trace", "--run", "nope")).toMatchObject({
    code: 1,
    err: expect.stringContaining("has no run nope"),
  });
});
