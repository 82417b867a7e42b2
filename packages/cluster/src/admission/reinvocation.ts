import { isJsonEqual } from "pintle/internal/merge";
import type { JsonObject } from "pintle/kinds";
import type { ReinvocationState } from "../api/index.ts";

/** Reinvocation state of one request: which plugins must be called again in the second pass. */
export class ReinvocationContext {
  #lastOutput: JsonObject | undefined;
  readonly #invoked = new Set<string>();
  readonly #toReinvoke = new Set<string>();

  /** Begins a pass. In the second pass, a change by other plugins since the first one requires reinvocation. */
  beginPass({ isReinvocation }: ReinvocationState, object: JsonObject | undefined): void {
    if (isReinvocation && !isJsonEqual(this.#lastOutput, object)) this.requireReinvocation();
  }
  endPass(object: JsonObject | undefined): void {
    this.#lastOutput = object;
  }
  /** The object changed: all hooks recorded so far must be invoked again. */
  requireReinvocation(): void {
    for (const id of this.#invoked) this.#toReinvoke.add(id);
    this.#invoked.clear();
  }
  /** Records the invocation of a hook with reinvocationPolicy IfNeeded. */
  recordInvocation(id: string): void {
    this.#invoked.add(id);
  }
  /** Whether to invoke a hook: always in the first pass, in the second one only if the object changed after its invocation. */
  shouldInvoke(id: string, { isReinvocation }: ReinvocationState): boolean {
    return !isReinvocation || this.#toReinvoke.has(id);
  }
}

/** Returns a function that returns a plugin's reinvocation context of a request; the request's state holds it. */
export function createReinvocationContexts(): (state: ReinvocationState) => ReinvocationContext {
  const plugin = {};
  return (state) => {
    state.pluginContexts ??= new Map();
    let context = state.pluginContexts.get(plugin) as ReinvocationContext | undefined;
    if (context === undefined) {
      context = new ReinvocationContext();
      state.pluginContexts.set(plugin, context);
    }
    return context;
  };
}
