import type { JsonObject } from "pintle/kinds";
import { equal } from "pintle/merge";
import type { Reinvocation } from "../api/index.ts";

/** What is remembered between the two rounds of one request: who is to be asked again. */
export class Rounds {
  #output: JsonObject | undefined;
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();

  /** A round begins: the second one with whatever others have changed since. */
  begin({ again }: Reinvocation, object: JsonObject | undefined): void {
    if (again && !equal(this.#output, object)) this.changed();
  }
  end(object: JsonObject | undefined): void {
    this.#output = object;
  }
  /** Something changed after these were asked. */
  changed(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked.clear();
  }
  /** Wants to be asked again about what comes later. */
  asked(id: string): void {
    this.#asked.add(id);
  }
  /** In the first round everybody is asked, in the second only those who missed something. */
  isDue(id: string, { again }: Reinvocation): boolean {
    return !again || this.#again.has(id);
  }
}

/** By request; forgotten with it. */
export function roundsByRequest(): (of: Reinvocation) => Rounds {
  const known = new WeakMap<Reinvocation, Rounds>();
  return (of) => {
    let rounds = known.get(of);
    if (rounds === undefined) {
      rounds = new Rounds();
      known.set(of, rounds);
    }
    return rounds;
  };
}
