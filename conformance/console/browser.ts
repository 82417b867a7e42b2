/** One Chromium for a whole suite, and what every check wants of a page: no error, no violation of the content security policy, nothing beyond loopback. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether Debian's Chromium is installed; `.ci/run` installs it. */
export const hasChromium = existsSync(EXECUTABLE);
if (!hasChromium) console.warn(`!!! the console is not tested in a browser: ${EXECUTABLE} is not installed`);

export interface Browser extends AsyncDisposable {
  readonly context: BrowserContext;
  /** Opens a page whose problems are collected. */
  open(): Promise<ObservedPage>;
}

export interface ObservedPage {
  readonly page: Page;
  /** Uncaught errors, messages of the content security policy, and requests beyond loopback. */
  readonly problems: string[];
  readonly requests: string[];
}

export interface BrowserOptions {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  readonly scale?: number;
}

export async function startBrowser({
  colorScheme = "light",
  width = 1280,
  height = 800,
  scale = 1,
}: BrowserOptions = {}): Promise<Browser> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: EXECUTABLE,
    headless: true,
    args: FLAGS,
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(20_000);
  return {
    context,
    async open() {
      const page = await context.newPage();
      const problems: string[] = [];
      const requests: string[] = [];
      page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
      page.on("console", (message) => {
        if (message.type() === "error" && /Content Security Policy|TrustedHTML|TrustedScript/.test(message.text()))
          problems.push(message.text());
      });
      page.on("request", (request) => {
        const { hostname, protocol } = new URL(request.url());
        requests.push(request.url());
        if (protocol.startsWith("http") && hostname !== "127.0.0.1") problems.push(`beyond loopback: ${request.url()}`);
      });
      return { page, problems, requests };
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
