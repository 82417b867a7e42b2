/** Acceptance checks of the console that need operators of their own: what fails, what leads to no run, who fights, what breaks. */
import { readFileSync } from "node:fs";
import { type Controller, silentLogger, startManager } from "pintle";
import type { MergePatch } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ConfigMap, Namespace } from "pintle/kinds/core/v1";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Browser, hasChromium, type ObservedPage, startBrowser } from "./browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { copying, createFighter, createSlow, Note, picky, throwing } from "./notes.ts";

let demo: Demo;
let browser: Browser;
let observed: ObservedPage;
let page: Page;

const notePath = (namespace: string) => `notes.example.com/notes/${namespace}/a`;
const at = (namespace: string) => ({ namespace, name: "a" });
const open = (route: string) => page.goto(demo.origin + route);
const read = <T>(route: string): Promise<T> => page.evaluate(async (url) => (await fetch(url)).json() as unknown, route) as Promise<T>;
const asUser = { fieldManager: "kubectl" };

/** Starts an operator in a namespace of its own, for one test. */
async function operate(namespace: string, ...controllers: readonly Controller[]): Promise<void> {
  await demo.client.apply(Namespace, { metadata: { name: namespace } }, asUser);
  const manager = startManager({
    controllers,
    namespaces: [namespace],
    client: demo.cluster.client(),
    recorder: demo.cluster.recorder,
    logger: silentLogger,
  });
  onTestFinished(() => manager.stop());
  await manager.ready;
}
const createNote = (namespace: string, text = "one") => demo.client.create(Note, { metadata: at(namespace), spec: { text } }, asUser);
const editNote = (namespace: string, merge: MergePatch) => demo.client.patch(Note, at(namespace), { merge }, asUser);
const noRun = (text: RegExp) => page.locator(".entry-drop").filter({ hasText: text }).first();
const runsOf = async (controller: string) =>
  (await read<{ runs: { id: string; causes: unknown[]; result: string }[] }>(`/api/runs?controller=${controller}`)).runs;

describe.runIf(hasChromium)("the console of small operators", () => {
  beforeAll(async () => {
    [demo, browser] = await Promise.all([
      startDemo({ controllers: [], sample: false, sources: { root: new URL(".", import.meta.url).pathname, entry: "notes.ts" } }),
      startBrowser(),
    ]);
    await demo.client.create(CustomResourceDefinition, Note.crd());
    await demo.client.waitFor(
      CustomResourceDefinition,
      { name: "notes.notes.example.com" },
      (crd) => crd.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true,
    );
    observed = await browser.open();
    page = observed.page;
    await page.goto(demo.url);
    await page.locator("main h1").waitFor();
  }, 90_000);
  afterAll(async () => {
    expect(observed?.problems).toEqual([]);
    expect(demo?.errors).toEqual([]);
    await browser?.[Symbol.asyncDispose]();
    await demo?.[Symbol.asyncDispose]();
  });

  test("check 10: an error in reconcile shows its TypeScript line, an excerpt and the time of the retry", async () => {
    await operate("throws", throwing);
    await createNote("throws", "broken");
    await open("/");
    const trouble = page.getByRole("list", { name: "Troubles" }).getByRole("listitem").filter({ hasText: "throwing throws/a fails" });
    await trouble.getByText("the text is broken").first().waitFor();
    const lines = readFileSync(new URL("notes.ts", import.meta.url), "utf8").split("\n");
    const line = lines.findIndex((each) => each.includes("throw new TypeError")) + 1;
    await trouble.getByText(`notes.ts:${line}`).waitFor();
    expect(await trouble.locator(".excerpt .meant .line-text").innerText()).toBe(lines[line - 1]);
    await trouble.getByText(/Next retry in/).waitFor();
    const { facts } = { facts: demo.cluster.recorder!.facts() };
    const ends = facts.flatMap((fact) => (fact.type === "drop" && fact.reason === "backing off" ? (fact.until ?? []) : []));
    const { troubles } = await read<{ troubles: { kind: string; nextRetry?: number }[] }>("/api/now");
    const { nextRetry } = troubles.find(({ kind }) => kind === "failing")!;
    const later = demo.cluster.recorder!.facts().flatMap((fact) => (fact.type === "drop" ? (fact.until ?? []) : []));
    expect([...ends, ...later]).toContain(nextRetry);
    const row = page.getByRole("row").filter({ hasText: "throws/a" });
    await row.getByText(/throwing fails: .*the text is broken/).waitFor();
    await editNote("throws", { spec: { text: "whole" } });
    await trouble.waitFor({ state: "detached" });
  });

  test('check 13: a change that "when" filters says so', async () => {
    await operate("picky", picky);
    await createNote("picky");
    const { metadata } = await editNote("picky", { metadata: { labels: { a: "b" } } });
    await open(`/o/${notePath("picky")}`);
    await noRun(/"when" returned false/).waitFor();
    expect(await noRun(/"when" returned false/).innerText()).toContain(`r${metadata.resourceVersion}`);
    await open("/runs?show=drops&reason=predicate");
    await page
      .getByRole("row")
      .filter({ hasText: /"when" returned false/ })
      .first()
      .waitFor();
  });

  test("check 14: paused, an own write, an object without the label or owner, and another namespace say so", async () => {
    await operate("copies", copying);
    await createNote("copies");
    await demo.client.waitFor(ConfigMap, at("copies"), ({ data }) => data?.["text"] === "one");
    await open(`/o/${notePath("copies")}`);
    await noRun(/own write caused it/).waitFor();
    await editNote("copies", { metadata: { annotations: { "pintle.dev/paused": "true" } }, spec: { text: "two" } });
    await noRun(/paused by its annotation/).waitFor();
    await demo.client.create(ConfigMap, { metadata: { namespace: "copies", name: "foreign" }, data: {} }, asUser);
    await open("/o/core/configmaps/copies/foreign");
    await noRun(/concerns no object of the controller/).waitFor();
    await demo.client.create(Namespace, { metadata: { name: "elsewhere" } });
    await createNote("elsewhere");
    await open(`/o/${notePath("elsewhere")}`);
    await noRun(/does not watch this namespace/).waitFor();
  });

  test("check 15: three events that are merged are one run with three causes", async () => {
    const { slow, witness, gate } = createSlow();
    await operate("slow", slow, witness);
    await createNote("slow");
    await gate.entered;
    await editNote("slow", { spec: { text: "two" } });
    for (const name of ["page-1", "page-2"])
      await demo.client.create(ConfigMap, { metadata: { namespace: "slow", name, labels: { note: "a" } }, data: {} }, asUser);
    await gate.seen;
    gate.open();
    await expect.poll(async () => (await runsOf("slow")).filter(({ result }) => result === "success").length).toBe(2);
    const merged = (await runsOf("slow")).find(({ causes }) => causes.length === 3)!;
    await open(`/run/${merged.id}`);
    const causes = page.getByRole("region", { name: "Woken by" }).getByRole("listitem");
    await causes.first().waitFor();
    const shown = (await causes.allInnerTexts()).join("\n");
    for (const expected of [/Note a/, /ConfigMap page-1/, /ConfigMap page-2/]) expect(shown).toMatch(expected);
    expect(shown).toMatch(/\.spec\.text.*"?two/s);
  });

  test("check 21: two managers that fight are named, with the field and the rate", async () => {
    await operate("fight", createFighter("left", 8));
    await operate("fight", createFighter("right", 8));
    await demo.client.create(
      ConfigMap,
      { metadata: { namespace: "fight", name: "page", labels: { note: "a" } }, data: { owner: "none" } },
      asUser,
    );
    await createNote("fight");
    await open("/");
    const trouble = page.getByRole("list", { name: "Troubles" }).getByRole("listitem").filter({ hasText: "overwrite each other" });
    await trouble.getByText(".data.owner", { exact: true }).waitFor();
    expect(await trouble.innerText()).toMatch(/left and right|right and left/);
    expect(await trouble.innerText()).toMatch(/[1-9]\d* times a minute/);
    await trouble.getByRole("link", { name: "Blame" }).click();
    await page
      .locator(".blame tr", { hasText: ".data.owner" })
      .getByText(/left|right/)
      .first()
      .waitFor();
  });

  test("check 32: a broken watch is shown, heals, and its list is counted", async () => {
    await operate("watching", copying);
    await createNote("watching");
    await demo.client.waitFor(ConfigMap, at("watching"), () => true);
    await open("/watches");
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /^Note in watching/ }) });
    await row.getByText("synced", { exact: true }).waitFor();
    const { faults, server } = demo.cluster;
    const drop = faults.add({ on: { resource: "notes" }, do: { drop: "connection" } });
    const refuse = faults.add({ on: { verb: "watch", resource: "notes" }, do: { status: 503 } });
    await editNote("watching", { spec: { text: "two" } });
    await row.getByText("failed", { exact: true }).first().waitFor();
    await expect.poll(() => refuse.hits, { timeout: 10_000 }).toBeGreaterThan(0);
    await page.getByRole("navigation").getByRole("link", { name: "Now" }).click();
    await page.getByText("The watch of Note in watching is broken").waitFor();
    await page.goBack();
    // What happened meanwhile is gone from the history, so that the watch cannot go on where it was.
    await editNote("watching", { spec: { text: "three" } });
    await server.store.compact(server.store.currentRevision());
    drop.remove();
    refuse.remove();
    await row.getByText("synced", { exact: true }).waitFor();
    await expect.poll(async () => Number(await row.locator("td.number").last().innerText()), { timeout: 10_000 }).toBeGreaterThanOrEqual(1);
    await demo.client.waitFor(ConfigMap, at("watching"), ({ data }) => data?.["text"] === "three");
  });

  test("check 28: a revision that is gone says so with the oldest one, which opens", async () => {
    const old = Number((await createNote("default", "old")).metadata.resourceVersion);
    await editNote("default", { spec: { text: "new" } });
    const { store } = demo.cluster.server;
    await store.compact(store.currentRevision());
    await editNote("default", { spec: { text: "newer" } });
    await open(`/o/${notePath("default")}?tab=yaml&at=${old}`);
    const sentence = page.getByRole("alert");
    await sentence.waitFor();
    const [, oldest] = /oldest \D*r(\d+)/.exec(await sentence.innerText())!;
    expect(await sentence.innerText()).toContain(`r${old}`);
    expect(Number(oldest)).toBeGreaterThan(old);
    await sentence.getByRole("link").click();
    await page.waitForURL(new RegExp(`at=${oldest}`));
    await page
      .getByText(/text: new/)
      .first()
      .waitFor();
  });
});
