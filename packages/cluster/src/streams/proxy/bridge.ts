import type { Duplex } from "node:stream";

/** Carries bytes both ways until both sides are done. Never rejects. */
export async function bridge(one: Duplex, other: Duplex): Promise<void> {
  await Promise.all([carried(one, other), carried(other, one)]);
}

function carried(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    from.on("error", () => {});
    from.once("close", () => {
      if (!from.readableEnded) to.destroy();
      resolve();
    });
    from.pipe(to);
  });
}
