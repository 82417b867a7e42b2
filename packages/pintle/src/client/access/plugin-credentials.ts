import type { Timing } from "../timing.ts";
import type { PluginCredential } from "./run-plugin.ts";

/** Renewed so long before it expires that a request under way does not find it expired, at most. */
const AHEAD = 30_000;

/** The credential of a plugin: run when first needed, before it expires, and when the server refuses it; one run for all who wait. */
export function pluginCredentials(run: () => Promise<PluginCredential>, timing: Timing) {
  let held: PluginCredential | undefined;
  let renewAt = Number.POSITIVE_INFINITY;
  let running: Promise<PluginCredential> | undefined;

  async function renew(): Promise<PluginCredential> {
    try {
      const started = timing.now();
      held = await run();
      renewAt =
        held.expires === undefined ? Number.POSITIVE_INFINITY : held.expires - Math.min(AHEAD, Math.max(0, held.expires - started) / 10);
      return held;
    } finally {
      running = undefined;
    }
  }
  const again = () => {
    running ??= renew();
    return running;
  };
  return { current: () => (held !== undefined && timing.now() < renewAt ? held : again()), again };
}
