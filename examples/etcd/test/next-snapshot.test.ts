import { describe, expect, test } from "vitest";
import { nextSnapshot, type Schedule, type Snapshot } from "../src/decide/index.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-01-01T12:00:00Z");
/** Snapshots in short: hours ago, "3" taken, "3!" under way. */
const given = (...short: readonly string[]): readonly Snapshot[] =>
  short.map((text) => {
    const at = new Date(NOW - Number.parseInt(text, 10) * HOUR).toISOString();
    return { name: `b-${at}`, member: "e-1", revision: 1, version: "3.6.5", takenAt: text.endsWith("!") ? "" : at };
  });
const nameOf = (hoursAgo: number) => `b-${new Date(NOW - hoursAgo * HOUR).toISOString()}`;
const short = ({ kept, due }: { readonly kept: readonly Snapshot[]; readonly due: boolean }) =>
  `${kept.map(({ name }) => Math.round((NOW - Date.parse(name.slice(2))) / HOUR)).join(" ")}${due ? " +" : ""}`.trim();

describe("the next snapshot", () => {
  test.each<[what: string, snapshots: readonly Snapshot[], expected: string, more?: Partial<Schedule>]>([
    ["none yet", [], "+"],
    ["one is enough", given("5"), "5"],
    ["one is under way", given("0!"), "0"],
    ["not yet time", given("5"), "5", { every: 6 * HOUR }],
    ["time", given("7"), "7 +", { every: 6 * HOUR }],
    ["time, but one is under way", given("7", "0!"), "7 0", { every: 6 * HOUR }],
    ["too many: the oldest goes", given("1", "3", "2", "4"), "3 2 1", { every: 6 * HOUR }],
    ["too many, but somebody restores the oldest", given("1", "3", "2", "4"), "4 3 2 1", { inUse: new Set([nameOf(4)]) }],
    ["one has just failed", given("0!"), "0", { failed: new Map([[nameOf(0), NOW - 1_000]]) }],
    ["one failed a while ago", given("1!"), "+", { failed: new Map([[nameOf(1), NOW - HOUR]]) }],
  ])("%s", (_, snapshots, expected, more) => {
    expect(short(nextSnapshot(snapshots, { now: NOW, keep: 3, failed: new Map(), inUse: new Set(), ...more }))).toBe(expected);
  });
});
