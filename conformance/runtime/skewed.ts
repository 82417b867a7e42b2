/**
 * Loaded before a program (`node --import`), in each of its threads: its wall clock is wrong. SKEW says by how many
 * milliseconds, or "jumping": by up to ten minutes in either direction, and by another amount every second.
 */
const skew = process.env["SKEW"] ?? "0";
const RANGE = 20 * 60_000;
let offset = Number(skew);
if (skew === "jumping") {
  offset = 0;
  const jump = () => {
    offset = (Math.random() - 0.5) * RANGE;
  };
  setInterval(jump, 1_000).unref();
}

const TrueDate = Date;
globalThis.Date = class extends TrueDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [TrueDate.now() + offset] : args) as [number]));
  }
  static override now(): number {
    return Math.round(TrueDate.now() + offset);
  }
} as DateConstructor;
