import type { Io } from "../command.ts";

/** The same terminal with a voice that can be held back for a while; nothing said is lost. */
export function heldVoice(io: Io): { readonly io: Io; hold(): void; release(): void } {
  let held: (() => void)[] | undefined;
  const or = (say: (text: string) => void) => (text: string) => {
    if (held === undefined) say(text);
    else held.push(() => say(text));
  };
  return {
    io: { ...io, out: or(io.out), err: or(io.err) },
    hold() {
      held ??= [];
    },
    release() {
      const waiting = held ?? [];
      held = undefined;
      for (const say of waiting) say();
    },
  };
}
