import { describe, expect, it } from "vitest";
import type { Lane } from "./lane.ts";
import { lanes, type Passenger } from "./lanes.ts";

function yard(most: number) {
  const opened: { destroyed: boolean }[] = [];
  const open = (): Lane => {
    const lane = {
      destroyed: false,
      destroy() {
        lane.destroyed = true;
      },
    };
    opened.push(lane);
    return lane as unknown as Lane;
  };
  return { lanes: lanes(open, most), opened };
}
function passenger() {
  const one = {
    lane: undefined as Lane | undefined,
    stranded: false,
    start(lane: Lane) {
      one.lane = lane;
    },
    strand() {
      one.stranded = true;
    },
  };
  return one satisfies Passenger;
}

describe("lanes", () => {
  it("are taken last used first, and opened only when all are taken", () => {
    const { lanes, opened } = yard(9);
    const [a, b, c] = [passenger(), passenger(), passenger()];
    lanes.board(a);
    lanes.board(b);
    expect(opened).toHaveLength(2);
    lanes.release(a.lane!);
    lanes.release(b.lane!);
    lanes.board(c);
    expect(c.lane).toBe(b.lane);
    expect(opened).toHaveLength(2);
  });

  it("are waited for in turn, unless one leaves", () => {
    const { lanes, opened } = yard(1);
    const [a, b, c, d] = [passenger(), passenger(), passenger(), passenger()];
    for (const one of [a, b, c, d]) lanes.board(one);
    lanes.leave(b);
    lanes.release(a.lane!);
    expect([b.lane, c.lane, d.lane]).toEqual([undefined, a.lane, undefined]);
    lanes.release(c.lane!);
    expect(d.lane).toBe(a.lane);
    expect(opened).toHaveLength(1);
  });

  it("that broke make room for another", () => {
    const { lanes, opened } = yard(1);
    const [a, b] = [passenger(), passenger()];
    lanes.board(a);
    lanes.board(b);
    lanes.scrap(a.lane!);
    expect(opened.map((lane) => lane.destroyed)).toEqual([true, false]);
    expect(b.lane).toBeDefined();
    expect(b.lane).not.toBe(a.lane);
  });

  it("that retire carry those who wait, then close", () => {
    const { lanes, opened } = yard(1);
    const [a, b] = [passenger(), passenger()];
    lanes.board(a);
    lanes.board(b);
    lanes.retire();
    expect(opened[0]?.destroyed).toBe(false);
    lanes.release(a.lane!);
    expect(b.lane).toBe(a.lane);
    lanes.release(b.lane!);
    expect(opened[0]?.destroyed).toBe(true);
  });

  it("that are torn down strand those who wait and those who come", () => {
    const { lanes, opened } = yard(1);
    const [a, b, c] = [passenger(), passenger(), passenger()];
    lanes.board(a);
    lanes.board(b);
    lanes.destroy();
    lanes.board(c);
    expect([b.stranded, c.stranded]).toEqual([true, true]);
    expect(opened[0]?.destroyed).toBe(true);
  });
});
