import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { formatBlob } from "@pintle/lifecycle/internal/catalog";
import { type RenderReferenceOptions, renderReferences } from "@pintle/lifecycle/internal/source";

/** What a rendering printed, or why it failed. */
export type Rendering = { readonly text: string } | { readonly error: string };

/** Runs opm. Its errors lose the time, and the advice that SQLite is deprecated. */
export async function runOpm(file: string, args: readonly string[], cwd?: string): Promise<Rendering> {
  try {
    const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 1 << 28, ...(cwd === undefined ? {} : { cwd }) });
    return { text: stdout };
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    return { error: stderr.replaceAll(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /gm, "").trim() };
  }
}

/** Renders with the code of this repository, as `pintle catalog render` does. */
export async function renderOurs(
  references: readonly string[],
  options: Partial<RenderReferenceOptions> = {},
  format: "json" | "yaml" = "json",
): Promise<Rendering> {
  const all = { cwd: process.cwd(), signal: AbortSignal.timeout(60_000), insecure: () => true, ...options };
  try {
    const text = await renderReferences(references, all, (blobs) =>
      Promise.resolve(blobs.map((blob) => formatBlob(blob.load(), format)).join("")),
    );
    return { text };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
