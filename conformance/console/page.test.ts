/** What the page promises about itself: access (check 38), budgets with 100,000 facts (check 37), and that it leads where five tasks want to go. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memcached } from "../../examples/memcached/src/memcached.ts";
import { type Browser, hasChromium, startBrowser } from "./browser.ts";
import { type Demo, deploymentPath, objectPath, ref, startDemo, waitUntilAvailable } from "./demo.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FACTS = 100_000;
const ROUTES = [
  "/",
  "/objects",
  "/objects?view=list&deleted=1",
  "/activity",
  "/runs",
  "/runs?show=drops",
  "/requests",
  "/chain",
  "/watches",
  "/speed",
  "/lab",
  "/schema",
  "/schema/cache.example.com/v1/Memcached?tab=new",
  `/o/${objectPath}`,
  `/o/${objectPath}?tab=diff`,
  `/o/${deploymentPath}?tab=blame`,
  `/o/${objectPath}?tab=plan`,
  `/o/${objectPath}?tab=yaml`,
  `/o/${objectPath}?tab=events`,
  `/o/${objectPath}?tab=edit`,
  "/o/apps/deployments/default/none",
];

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

describe.runIf(hasChromium)("the page", () => {
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  let chain: string;
  const open = async (route: string) => {
    await page.goto(demo.origin + route);
    await page.locator("main h1, main .notice, main .editor").first().waitFor();
    await page.locator(".skeleton").waitFor({ state: "detached" });
  };

  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo(), startBrowser()]);
    page = (await browser.open()).page;
    const edited = await demo.client.patch(Memcached, ref, { merge: { spec: { size: 4 } } }, { fieldManager: "kubectl-edit" });
    chain = `/chain/${edited.metadata.resourceVersion}`;
    await waitUntilAvailable(demo.client, 4);
    await page.goto(demo.url);
    await page.getByText("All settled").waitFor();
  }, 90_000);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await demo?.[Symbol.asyncDispose]();
  });

  for (const colorScheme of ["light", "dark"] as const)
    test(`check 38: axe finds nothing on any page, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      const found: string[] = [];
      for (const route of [...ROUTES, chain]) {
        await open(route);
        await page.evaluate(axe);
        const violations = (await page.evaluate(
          `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(({ violations }) => violations)`,
        )) as readonly AxeViolation[];
        for (const { id, nodes } of violations) found.push(`${route} ${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary}`);
      }
      expect(found).toEqual([]);
    });

  test.each([
    ["320 px wide", 320, 720],
    ["200 % of 1280 x 800", 640, 400],
  ])("check 38: nothing is lost at %s", async (_, width, height) => {
    await page.setViewportSize({ width, height });
    const wide: string[] = [];
    for (const route of [...ROUTES, chain]) {
      await open(route);
      const lost = await page.evaluate(() => {
        const over =
          document.documentElement.scrollWidth > innerWidth ? [`the page is ${document.documentElement.scrollWidth} px wide`] : [];
        const hidden = [...document.querySelectorAll<HTMLElement>("header *, nav a, .filters *, .title *, .tabs a")].filter((element) => {
          const { left, right } = element.getBoundingClientRect();
          return element.offsetParent !== null && (right > innerWidth + 1 || left < -1);
        });
        return [...over, ...hidden.map(({ outerHTML }) => outerHTML.slice(0, 120))];
      });
      wide.push(...lost.map((what) => `${route}: ${what}`));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(wide).toEqual([]);
  });

  test("check 38: everything is reached by keyboard, and keys of one character can be switched off", async () => {
    await open("/");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.waitForURL(/\/objects$/);
    await page
      .getByRole("link", { name: `default/${ref.name}`, exact: true })
      .first()
      .waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/o\/cache\.example\.com\/memcacheds\//);
    await page.getByRole("link", { name: "Blame" }).waitFor();
    await page.keyboard.press("b");
    await page.getByRole("group", { name: "Fields and their managers" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("size");
    await page.waitForURL(/field=size/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await page.waitForURL(/\/chain\/\d+/);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).waitFor();
    await page.keyboard.type("wat");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/watches/);
    await page.keyboard.press("?");
    await page.getByLabel("Keys of one character").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(page.url()).toMatch(/\/watches/);
    await page.evaluate(() => localStorage.removeItem("pintle.keys"));
  });

  test("task 2: who keeps changing a field is found in at most five keys and clicks", async () => {
    await open("/");
    await page.getByRole("link", { name: "All with their children" }).click();
    await page.getByRole("row").filter({ hasText: "Deployment" }).getByRole("link").click();
    await page.getByRole("link", { name: "Blame" }).waitFor();
    await page.keyboard.press("b");
    const row = page.locator(".blame tr", { hasText: ".spec.replicas" });
    await row.getByText("memcached", { exact: true }).waitFor();
    expect(await row.innerText()).toMatch(/r\d+/);
  });

  test("task 3: the slowest step from an edit to ready is found in at most five keys and clicks", async () => {
    await open("/");
    await page
      .getByRole("link", { name: `default/${ref.name}`, exact: true })
      .first()
      .click();
    await page
      .locator(".entry-commit", { hasText: "kubectl-edit" })
      .getByRole("link", { name: /^r\d+$/ })
      .first()
      .click();
    await page.locator(".chain-list .slowest", { hasText: "slowest step" }).waitFor();
    expect(page.url()).toContain(chain);
  });

  test("check 37: 100,000 facts scroll, filter and fit", async () => {
    const recorder = demo.cluster.recorder!;
    for (let i = 0; i < FACTS; i++)
      recorder.record({
        type: "log",
        level: i % 500 === 0 ? "warn" : "info",
        message: `line ${i} of default/object-${i % 997}`,
        fields: { controller: "memcached" },
      });
    await open("/activity");
    await page.waitForFunction(
      () => Number(/([\d,]+) facts/.exec(document.querySelector("main")?.textContent ?? "")?.[1]?.replaceAll(",", "")) > 90_000,
      undefined,
      {
        timeout: 30_000,
      },
    );
    // Processor time of the page's thread, because other processes only make frames longer.
    const session = await browser.context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () =>
      (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")!.value * 1_000;
    const frames: number[] = [];
    for (let i = 0; i < 60; i++) {
      const before = await spent();
      const rows = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            document.querySelector(".list-scroll")!.scrollTop += 1_400;
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.querySelectorAll(".list-body .row").length)));
          }),
      );
      frames.push((await spent()) - before);
      expect(rows).toBeLessThanOrEqual(60);
    }
    frames.sort((a, b) => a - b);
    expect(frames[0]).toBeGreaterThan(0);
    expect(frames[Math.floor(frames.length * 0.95)]).toBeLessThan(20);

    const filter = (text: string) =>
      page.evaluate(async (value) => {
        const input = document.querySelector<HTMLInputElement>("main input[type=search]")!;
        const before = document.querySelector("main [role=status]")!.textContent;
        const start = performance.now();
        input.value = value;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        while (document.querySelector("main [role=status]")!.textContent === before) await new Promise((resolve) => setTimeout(resolve));
        return performance.now() - start;
      }, text);
    const texts = ["object-500", "object-50", "line object-5", "object-996", "line 1", "line 77"];
    let fastest = Number.POSITIVE_INFINITY;
    for (const text of texts) if (fastest >= 100) fastest = Math.min(fastest, await filter(text));
    expect(fastest).toBeLessThan(100);

    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    expect(usedSize / 1024 / 1024).toBeLessThan(150);
  });
});
