/** Runs every command of docs/guides/bundles.md in a copy of the example, with a registry of its own. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { startRegistryServer } from "../../packages/cli/src/local-cluster/index.ts";
import { createTestProject } from "../../packages/cli/test/test-project.ts";
import { comparable, steps } from "./console.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const PLACEHOLDER = "localhost:5000";

afterEach(() => vi.unstubAllEnvs());

test("the commands of docs/guides/bundles.md print what it shows", { timeout: 240_000 }, async () => {
  await using registry = await startRegistryServer();
  vi.stubEnv("COSIGN_PASSWORD", "pw");
  using here = createTestProject(filesOf(path.join(root, "examples", "memcached")));
  for (const { command, output, line } of steps(readFileSync(path.join(root, "docs/guides/bundles.md"), "utf8"))) {
    const words = command.replaceAll(PLACEHOLDER, registry.host).split(" ").slice(1);
    const { code, out } = await here.pintle(...words);
    const masked = out.replaceAll(registry.host, PLACEHOLDER).replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:DIGEST");
    expect({ line, command, code, printed: comparable(masked.replaceAll("\t", "  ")) }).toEqual({
      line,
      command,
      code: 0,
      printed: comparable(output),
    });
  }
});

function filesOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)));
  const own = files.filter((file) => !/^(node_modules|\.pintle|bundle|dist)\//.test(file));
  return Object.fromEntries(own.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
}
