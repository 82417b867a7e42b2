import type { AnyResource } from "pintle";
import { PintleError } from "pintle/internal/errors";
import { afterAll } from "vitest";
import { unrefusedRules } from "./accepts.ts";

/** Options of `requireRuleCoverage()`. */
export interface RuleCoverageOptions {
  /** The version whose rules must be covered. Default: the newest. */
  readonly version?: string | undefined;
  /** Rules that need no test, named as `unrefusedRules()` names them. Default: none. */
  readonly except?: readonly string[] | undefined;
}

/**
 * Fails the test file after its tests if a rule of the resource has refused nothing in `refuses()`, and names the rule.
 *
 * @example
 * ```ts
 * import { refuses, requireRuleCoverage } from "@pintle/cluster/vitest";
 * import { defineResource, z } from "pintle";
 * import { test } from "vitest";
 *
 * const Memcached = defineResource({ group: "example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int32().max(9) }) });
 *
 * requireRuleCoverage(Memcached, { except: ["spec: required size"] });
 *
 * test("size is at most 9", () => refuses(Memcached, { size: 10 }, "less than or equal to 9"));
 * ```
 */
export function requireRuleCoverage(resource: AnyResource, { version, except = [] }: RuleCoverageOptions = {}): void {
  afterAll(() => {
    const unrefused = unrefusedRules(resource, { version });
    const missing = unrefused.filter((rule) => !except.includes(rule));
    const obsolete = except.filter((rule) => !unrefused.includes(rule));
    if (missing.length > 0)
      throw new PintleError(
        "PINTLE6544",
        `no test refuses a ${resource.kind} by these rules: add refuses(${resource.kind}, ...) for each, or list it in \`except\`:\n${missing.map((rule) => `  ${rule}`).join("\n")}`,
      );
    if (obsolete.length > 0)
      throw new PintleError(
        "PINTLE6544",
        `\`except\` lists rules of ${resource.kind} that do not exist or that a test covers: remove ${obsolete.join(", ")}`,
      );
  });
}
