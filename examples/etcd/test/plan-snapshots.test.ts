import { describe, expect, test } from "vitest";
import { planSnapshots, type Snapshot, type SnapshotSchedule } from "../src/decide/index.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-01-01T12:00:00Z");
/** Snapshots in short form, by age in hours: "3" complete, "3!" in progress. */
const snapshotsOf = (...short: readonly string[]): readonly Snapshot[] =>
  short.map((text) => {
    const at = new Date(NOW - Number.parseInt(text, 10) * HOUR).toISOString();
    return { name: `b-${at}`, member: "e-1", revision: 1, version: "3.6.5", takenAt: text.endsWith("!") ? "" : at };
  });
const nameOf = (hoursAgo: number) => `b-${new Date(NOW - hoursAgo * HOUR).toISOString()}`;
const short = ({ retained, isDue }: { readonly retained: readonly Snapshot[]; readonly isDue: boolean }) =>
  `${retained.map(({ name }) => Math.round((NOW - Date.parse(name.slice(2))) / HOUR)).join(" ")}${isDue ? " +" : ""}`.trim();

describe("planSnapshots", () => {
  test.each<[what: string, snapshots: readonly Snapshot[], expected: string, more?: Partial<SnapshotSchedule>]>([
    ["starts the first snapshot", [], "+"],
    ["takes a single snapshot without an interval", snapshotsOf("5"), "5"],
    ["waits for a snapshot in progress", snapshotsOf("0!"), "0"],
    ["waits for the interval", snapshotsOf("5"), "5", { every: 6 * HOUR }],
    ["time", snapshotsOf("7"), "7 +", { every: 6 * HOUR }],
    ["does not start another one while one is in progress", snapshotsOf("7", "0!"), "7 0", { every: 6 * HOUR }],
    ["deletes the oldest snapshot", snapshotsOf("1", "3", "2", "4"), "3 2 1", { every: 6 * HOUR }],
    ["keeps a snapshot that a restore uses", snapshotsOf("1", "3", "2", "4"), "4 3 2 1", { inUse: new Set([nameOf(4)]) }],
    ["delays the retry of a failed snapshot", snapshotsOf("0!"), "0", { failed: new Map([[nameOf(0), NOW - 1_000]]) }],
    ["retries a failed snapshot later", snapshotsOf("1!"), "+", { failed: new Map([[nameOf(1), NOW - HOUR]]) }],
  ])("%s", (_, snapshots, expected, more) => {
    expect(short(planSnapshots(snapshots, { now: NOW, keep: 3, failed: new Map(), inUse: new Set(), ...more }))).toBe(expected);
  });
});
