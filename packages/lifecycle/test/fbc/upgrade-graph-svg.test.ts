import { expect, test } from "vitest";
import { type ChannelEntry, formatUpgradeGraphSvg } from "../../src/index.ts";

const draw = (entries: readonly ChannelEntry[]) =>
  formatUpgradeGraphSvg([{ schema: "olm.channel", package: "shop", name: "stable", entries }]);
const [v1, v2, v3] = ["shop.v1.0.0", "shop.v2.0.0", "shop.v3.0.0"] as const;

const boxesOf = (svg: string) =>
  [...svg.matchAll(/<rect class="\w+" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="36"/g)].map((found) => {
    const [x, y, width] = found.slice(1).map(Number) as [number, number, number];
    return { left: x, right: x + width, top: y, bottom: y + 36 };
  });

test("an edge that leads over other columns passes no box", () => {
  const svg = draw([{ name: v1 }, { name: v2, replaces: v1 }, { name: v3, replaces: v1, skips: [v2, "gone"] }]);
  const boxes = boxesOf(svg);
  expect(boxes).toHaveLength(4);
  const passing = [...svg.matchAll(/([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)C/g)].map((found) => found.slice(1).map(Number) as number[]);
  expect(passing).toHaveLength(2);
  for (const [x1, y, x2, end] of passing as [number, number, number, number][]) {
    expect(end).toBe(y);
    expect(boxes.filter((box) => y > box.top && y < box.bottom && x1 < box.right && x2 > box.left)).toEqual([]);
  }
});

test("the edges of a cycle stay inside of the picture", () => {
  const svg = draw([
    { name: v1, replaces: v2 },
    { name: v2, replaces: v1 },
  ]);
  const width = Number(/width="(\d+)"/.exec(svg)?.[1]);
  const xs = [...svg.matchAll(/d="([^"]+)"/g)].flatMap(([, path]) =>
    [...path!.matchAll(/[MLC ](-?[\d.]+) -?[\d.]+/g)].map(([, x]) => Number(x)),
  );
  expect(Math.min(...xs)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...xs)).toBeLessThanOrEqual(width);
});

test("boxes are as wide as the longest name, and long names keep their version", () => {
  const name = `${"operator-with-a-long-name".repeat(3)}.v1.2.3-rc.1`;
  const [short, long] = [draw([{ name: v1 }]), draw([{ name }])];
  expect(boxesOf(long)[0]!.right).toBeGreaterThan(boxesOf(short)[0]!.right);
  expect(long).toMatch(/>operator-with-a-lon….*\.v1\.2\.3-rc\.1<\/text>/);
  expect(long).toContain(`<title>${name}</title>`);
});
