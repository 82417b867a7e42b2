/** Runs every command of the guide to catalogs as a reader would type it, in a copy of its sample, with a registry. Needs nothing but Node. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "@pintle/cli";
import { expect, it, onTestFinished } from "vitest";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { comparable, steps } from "./console.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The registry of the guide. */
const REGISTRY = "localhost:5000";

it("docs/guides/catalogs.md shows the output that its commands print", { timeout: 240_000 }, async () => {
  // Inside of this repository, so that the packages of the sample resolve.
  const cwd = mkdtempSync(path.join(root, "node_modules/.pintle-guide-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  cpSync(path.join(root, "examples/memcached"), cwd, {
    recursive: true,
    filter: (source) => !/node_modules|\.pintle$/.test(path.relative(root, source)),
  });
  await using registry = await startRegistryServer();
  const guide = steps(readFileSync(path.join(root, "docs/guides/catalogs.md"), "utf8"));
  expect(guide.length).toBeGreaterThan(10);
  for (const { command, output, line } of guide) {
    const [program, ...words] = command.split(" ");
    expect(program).toBe("pintle");
    let printed = "";
    const append = (text: string) => {
      printed += text;
    };
    const io = { out: append, err: append, tty: false, cwd, signal: AbortSignal.timeout(120_000) };
    await main(
      words.map((word) => word.replaceAll(REGISTRY, registry.host)),
      io,
    );
    expect(mask(printed.replaceAll(registry.host, REGISTRY)), `line ${line}: ${command}\n${printed}`).toBe(mask(output));
  }
});

/** Digests and sizes depend on the Node of this machine, which is in the image. */
function mask(text: string): string {
  return comparable(text)
    .replaceAll(/sha256:[0-9a-f]{64}/g, "DIGEST")
    .replaceAll(/\b[\d.]+ (MB|KB|s|B)\b/g, "NUMBER")
    .replaceAll(/linux\/\w+:/g, "PLATFORM:");
}
