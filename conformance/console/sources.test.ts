/** Acceptance checks of the console on what is not a healthy session: a missing right, a trace file, edited code, a production operator. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readTrace } from "@pintle/cluster";
import { checkTrace } from "@pintle/cluster/internal/trace";
import { consolePage } from "@pintle/console";
import { loadPageFiles } from "@pintle/console/internal/files";
import { startConsoleServer } from "@pintle/console/internal/server";
import { silentLogger, startManager } from "pintle";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap, Namespace, ServiceAccount } from "pintle/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding } from "pintle/kinds/rbac/v1";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createTraceSource, forwardConsole, replayPlans } from "../../packages/cli/src/console/index.ts";
import type { Project } from "../../packages/cli/src/project/index.ts";
import { openUrlEndpoint } from "../../packages/cli/src/target-cluster/index.ts";
import { type Browser, hasChromium, type ObservedPage, startBrowser } from "./browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { copying, Note } from "./notes.ts";

const OPERATOR = "operator-of-notes";
const NOTES = new URL("notes.ts", import.meta.url);
const ref = { namespace: "shop", name: "m7" };
const asUser = { fieldManager: "kubectl" };
let demo: Demo;
let browser: Browser;
let observed: ObservedPage;
let page: Page;
let folder: string;
let project: Project;

const open = (route: string) => page.goto(demo.origin + route);
const trouble = (text: string) => page.getByRole("list", { name: "Troubles" }).getByRole("listitem").filter({ hasText: text }).first();
const grant = async (name: string, subject: object, rules: readonly object[]) => {
  await demo.client.create(ClusterRole, { metadata: { name }, rules } as never);
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
  await demo.client.create(ClusterRoleBinding, { metadata: { name }, roleRef, subjects: [subject] } as never);
};
const user = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: OPERATOR };
const rights = (resources: string, verbs: readonly string[], apiGroups = [""]) => ({ apiGroups, resources: [resources], verbs });
const mayPatch = () => grant("notes-patch", user, [rights("configmaps", ["patch"])]);

/** A way through the page, of which every click and key counts. */
function createWalk() {
  let steps = 0;
  const walk = {
    click: (...[role, options]: Parameters<Page["getByRole"]>) => walk.follow(page.getByRole(role, options)),
    async follow(link: Locator) {
      steps++;
      await link.first().click();
    },
    get steps() {
      return steps;
    },
  };
  return walk;
}

describe.runIf(hasChromium)("the console of other sources", () => {
  beforeAll(async () => {
    // Inside of node_modules, so that the project resolves packages as an installed one does.
    folder = mkdtempSync(new URL("../../node_modules/.pintle-console-", import.meta.url).pathname);
    mkdirSync(path.join(folder, "src"));
    const text = readFileSync(NOTES, "utf8");
    const edited = text.replace("data: { text: spec.text }", "data: { text: spec.text.toUpperCase() }");
    expect(edited).not.toBe(text);
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "notes", version: "1.0.0", type: "module" }));
    writeFileSync(path.join(folder, "src/notes.ts"), edited);
    writeFileSync(
      path.join(folder, "src/main.ts"),
      'import { run } from "pintle";\nimport { copying } from "./notes.ts";\n\nawait run({ controllers: [copying] });\n',
    );
    project = { root: folder, name: "notes", version: "1.0.0", entry: "src/main.ts", namespace: "default", image: "notes:1", config: {} };
    [demo, browser] = await Promise.all([
      startDemo({
        controllers: [],
        sample: false,
        sources: { root: new URL(".", import.meta.url).pathname, entry: "notes.ts" },
        replay: (facts, run, signal) => replayPlans(project, facts, run, signal),
      }),
      startBrowser(),
    ]);
    await demo.client.create(CustomResourceDefinition, Note.crd());
    await demo.client.waitFor(
      CustomResourceDefinition,
      { name: "notes.notes.example.com" },
      (crd) => crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true,
    );
    await demo.client.create(Namespace, { metadata: { name: ref.namespace } });
    await grant("notes", user, [
      { apiGroups: ["notes.example.com"], resources: ["*"], verbs: ["*"] },
      { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
      rights("events", ["create", "patch"], ["", "events.k8s.io"]),
      rights("configmaps", ["create"]),
    ]);
    await mayPatch();
    observed = await browser.open();
    page = observed.page;
    await page.goto(demo.url);
    await page.locator("main h1").waitFor();
  }, 90_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await browser?.[Symbol.asyncDispose]();
    await demo?.[Symbol.asyncDispose]();
  });

  test("check 35 and task 1: a missing right names the line and the file, and is over when it is granted", {
    timeout: 30_000,
  }, async () => {
    const manager = startManager({
      controllers: [copying],
      namespaces: [ref.namespace],
      client: demo.cluster.client({ user: { name: OPERATOR, groups: ["system:authenticated"] } }),
      recorder: demo.cluster.recorder,
      logger: silentLogger,
    });
    onTestFinished(() => manager.stop());
    await manager.ready;
    await demo.client.create(Note, { metadata: ref, spec: { text: "one" } }, asUser);
    await demo.client.waitFor(ConfigMap, ref, ({ data }) => data?.["text"] === "one", { timeout: 8_000 });
    await demo.client.delete(ClusterRoleBinding, { name: "notes-patch" });
    await demo.client.delete(ClusterRole, { name: "notes-patch" });
    await demo.client.patch(Note, ref, { merge: { spec: { text: "two" } } }, asUser);
    await open("/");
    await trouble("403 patch configmaps").waitFor();

    const walk = createWalk();
    await walk.click("link", { name: "Refused requests" });
    const line = 'needs: [allow(ConfigMap, "patch")]';
    const lines = readFileSync(NOTES, "utf8").split("\n");
    const declared = lines.findIndex((each) => each.includes("copying = controller(")) + 1;
    const refused = page.getByRole("region", { name: "Refused" }).getByRole("listitem").first();
    await refused.getByText(line, { exact: true }).waitFor();
    expect(await refused.innerText()).toMatch(new RegExp(`notes\\.ts:${declared}\\b`));
    expect(walk.steps).toBeLessThanOrEqual(5);

    await writeFailedTest();
    await mayPatch();
    await demo.client.waitFor(ConfigMap, ref, ({ data }) => data?.["text"] === "two", { timeout: 20_000 });
    await open("/");
    await page.getByText("All settled").waitFor();
  });

  const traceFile = () => path.join(folder, "notes.pintle-trace");
  const TEST = {
    name: "copies the text",
    file: "notes.test.ts",
    error: "AssertionError: expected 'one' to be 'two'",
    expected: "two",
    actual: "one",
  };
  const writeFailedTest = () => demo.cluster.writeTrace(traceFile(), { source: "test", test: TEST, output: "waited for the copy\n" });

  test("check 39 and task 4: the trace of a failed test lands on its moment, is clean, and shows what failed and what was before", async () => {
    const trace = await readTrace(traceFile());
    expect(checkTrace(trace)).toEqual([]);
    await using server = await startConsoleServer({
      source: createTraceSource(trace, { file: "notes.pintle-trace" }),
      loadFiles: loadPageFiles,
      version: "0.0.0",
      onError: (error) => {
        throw error;
      },
    });
    await page.goto(server.url);
    await page.waitForURL(new RegExp(`at=${trace.commits.at(-1)!.revision}`));
    const failed = page.getByRole("region", { name: "Failed test" });
    await failed.getByText(TEST.name).waitFor();
    for (const text of [TEST.file, TEST.error]) expect(await failed.innerText()).toContain(text);
    expect(await page.getByRole("button", { name: "Fork here" }).count()).toBe(0);

    const walk = createWalk();
    await walk.click("link", { name: "Refused requests" });
    const row = page.getByRole("row").filter({ hasText: "403" }).first();
    expect(await row.innerText()).toMatch(/apply|patch/);
    await walk.follow(row.getByRole("link"));
    await walk.click("link", { name: "YAML" });
    await page
      .getByText(/text: one/)
      .first()
      .waitFor();
    expect(page.url()).toMatch(/at=\d+/);
    expect(walk.steps).toBeLessThanOrEqual(5);
  });

  test("check 30 and task 5: a run is replayed with edited code, plan against plan, and no request is sent", {
    timeout: 30_000,
  }, async () => {
    await open("/runs");
    const requests = () => demo.cluster.recorder!.facts().filter(({ type }) => type === "request").length;
    const walk = createWalk();
    await walk.click("link", { name: `copying ${ref.namespace}/${ref.name}` });
    const before = requests();
    await walk.click("button", { name: "Replay with today's code" });
    const replay = page.getByRole("status", { name: "Replay" });
    await replay.getByText("differs").first().waitFor({ timeout: 40_000 });
    await replay
      .getByText(/TWO|ONE/)
      .first()
      .waitFor();
    await replay.getByText("nothing was sent").first().waitFor();
    expect(requests()).toBe(before);
    expect((await demo.client.get(ConfigMap, ref)).data).toEqual({ text: "two" });
    expect(walk.steps).toBeLessThanOrEqual(5);
  });

  test("check 40: in production no token is 401, no right 403, invisible objects are absent, and no route writes", async () => {
    const manager = startManager({
      controllers: [copying],
      namespaces: [ref.namespace],
      client: demo.cluster.client(),
      recorder: demo.cluster.recorder,
      console: consolePage({ address: "127.0.0.1:0" }),
      logger: silentLogger,
    });
    onTestFinished(() => manager.stop());
    await manager.ready;
    await demo.client.create(Note, { metadata: { ...ref, name: "hidden" }, spec: { text: "hidden" } }, asUser);
    await demo.client.waitFor(ConfigMap, { ...ref, name: "hidden" }, () => true);
    const tokenOf = async (name: string) => {
      await demo.client.create(ServiceAccount, { metadata: { namespace: "default", name } } as never);
      return (await demo.client.createToken(ServiceAccount, { namespace: "default", name })).token;
    };
    const [stranger, viewer] = [await tokenOf("stranger"), await tokenOf("viewer")];
    await grant("console-viewer", { kind: "ServiceAccount", namespace: "default", name: "viewer" }, [
      { nonResourceURLs: ["/console"], verbs: ["get"] },
      { ...rights("notes", ["get"], ["notes.example.com"]), resourceNames: [ref.name] },
    ]);
    const origin = `https://127.0.0.1:${manager.ports.console}`;
    const ask = async (token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await browser.context.request.get(`${origin}/`, { headers, ignoreHTTPSErrors: true })).status();
    };
    expect([await ask(), await ask("wrong"), await ask(stranger), await ask(viewer)]).toEqual([401, 401, 403, 200]);

    let printed = "";
    const print = (text: string) => {
      printed += text;
    };
    const io = { out: print, err: print, signal: new AbortController().signal };
    await using _forwarded = await forwardConsole(openUrlEndpoint(new URL(origin), viewer), {
      port: undefined,
      open: false,
      version: "0.0.0",
      io,
    });
    await page.goto(/console (\S+)/.exec(printed)![1]!);
    await page
      .getByRole("link", { name: `${ref.namespace}/${ref.name}`, exact: true })
      .first()
      .waitFor();
    for (const route of ["/", "/objects", "/runs", "/requests", "/activity"]) {
      await page.goto(new URL(route, page.url()).href);
      await page.locator("main h1").waitFor();
      await page.locator(".skeleton").waitFor({ state: "detached" });
      expect([route, (await page.content()).includes("hidden</")]).toEqual([route, false]);
    }
    for (const name of ["Fork here", "Apply samples", "Delete"]) expect(await page.getByRole("button", { name }).count()).toBe(0);
    const answers = await page.evaluate(async () => {
      const routes = [
        "apply",
        "exec",
        "lab/faults",
        "lab/forks",
        "lab/clock",
        "lab/restart",
        "replay",
        "queue/run",
        "samples",
        "port-forwards",
      ];
      const headers = { "x-pintle-console": "1", "content-type": "application/json" };
      return Promise.all(routes.map(async (route) => (await fetch(`/api/${route}`, { method: "POST", headers, body: "{}" })).status));
    });
    expect(new Set(answers)).toEqual(new Set([404]));
    const hidden = await page.evaluate(async () => (await fetch("/api/objects/notes.example.com/notes/shop/hidden")).status);
    expect(hidden).toBe(404);
  });

  test("no page of these sources has an error, breaks the content security policy or asks beyond loopback", () => {
    expect(observed.problems).toEqual([]);
    expect(demo.errors).toEqual([]);
  });
});
