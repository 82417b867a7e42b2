import type { CatalogChannel, CatalogDeprecations } from "./types.ts";

/**
 * Draws the upgrade graph of a package as a Mermaid flowchart: a subgraph per channel, arrows from each bundle to those that replace it, dashed
 * ones for skipped bundles. Ranges that are skipped stand at the bundle, deprecated bundles are marked.
 *
 * @example
 * ```ts
 * import { formatUpgradeGraph } from "@pintle/lifecycle";
 *
 * const entries = [{ name: "shop.v1.0.0" }, { name: "shop.v1.1.0", replaces: "shop.v1.0.0" }];
 * console.log(formatUpgradeGraph([{ schema: "olm.channel", package: "shop", name: "stable", entries }]));
 * ```
 */
export function formatUpgradeGraph(channels: readonly CatalogChannel[], deprecations: readonly CatalogDeprecations[] = []): string {
  const deprecated = new Set(
    deprecations.flatMap(({ entries }) => entries.map(({ reference }) => `${reference.schema} ${reference.name ?? ""}`)),
  );
  const lines = ["flowchart LR"];
  channels.forEach(({ name, entries }, c) => {
    const title = deprecated.has(`olm.channel ${name}`) ? `${name} (deprecated)` : name;
    lines.push(`  subgraph c${c}[${quote(title)}]`);
    const known = new Map<string, string>();
    const declare = (bundle: string, note: string): string => {
      const id = known.get(bundle) ?? `c${c}b${known.size}`;
      if (!known.has(bundle)) lines.push(`    ${id}[${quote([bundle, note].filter((part) => part !== "").join("<br>"))}]`);
      known.set(bundle, id);
      return id;
    };
    for (const entry of entries) {
      const range = entry.skipRange ? `skips ${entry.skipRange}` : "";
      declare(entry.name, [range, deprecated.has(`olm.bundle ${entry.name}`) ? "deprecated" : ""].filter((note) => note !== "").join(", "));
    }
    for (const entry of entries) {
      // An edge may start at a bundle that is no longer in the catalog.
      if (entry.replaces) lines.push(`    ${declare(entry.replaces, "not in the channel")} --> ${declare(entry.name, "")}`);
      for (const skipped of entry.skips ?? []) lines.push(`    ${declare(skipped, "not in the channel")} -.-> ${declare(entry.name, "")}`);
    }
    lines.push("  end");
  });
  return `${lines.join("\n")}\n`;
}

/** Mermaid has entities instead of escapes. */
function quote(text: string): string {
  const escaped = text.replaceAll("<br>", "\n").replaceAll(/[#"<>&]/g, (char) => `#${char.charCodeAt(0)};`);
  return `"${escaped.replaceAll("\n", "<br>")}"`;
}
