/**
 * Preloaded (`node --import`) in each thread of a program: skews its wall clock. SKEW is the offset in
 * milliseconds, or "jumping": up to ten minutes in either direction, and another offset every second.
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
