import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Fact } from "pintle";
import { PintleError } from "pintle/internal/errors";
import { stringifyJson } from "pintle/internal/json";
import { isJsonEqual } from "pintle/internal/merge";
import { FACTS_VERSION } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import { compactFacts, factsOfCommits } from "./compact-facts.ts";
import { createMergePatch } from "./merge-patch.ts";
import {
  BROTLI,
  FILES,
  SOURCES,
  TRACE_VERSION,
  type Trace,
  type TraceAbout,
  type TraceBaseObject,
  type TraceCommit,
  type TraceManifest,
} from "./trace-file.ts";

/** What goes into a trace file; all of it without secrets. */
export interface TraceContent extends Omit<Trace, "manifest"> {
  readonly time: number;
  readonly revision?: number | undefined;
  readonly dropped: number;
  readonly about: Omit<TraceAbout, "output">;
}

/** Bytes of a trace file; of larger recordings, the oldest commits become part of the base, and the oldest facts are left out. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Encodes a trace file. */
export async function encodeTrace(content: TraceContent, maxBytes = MAX_BYTES): Promise<Uint8Array> {
  const { zipSync, strToU8 } = await import("fflate");
  for (let current = content; ; current = dropOldest(current)) {
    const files = Object.fromEntries(Object.entries(formatFiles(current)).map(([name, text]) => [name, strToU8(text)]));
    const manifest: TraceManifest = {
      format: "pintle-trace",
      version: TRACE_VERSION,
      facts: FACTS_VERSION,
      node: process.versions.node,
      time: current.time,
      about: current.about,
      revision: current.revision,
      dropped: current.dropped,
      files: Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, { bytes: bytes.length, sha256: sha256(bytes) }])),
    };
    const compressed = Object.fromEntries(
      Object.entries(files).map(([name, content]) =>
        name.endsWith(".ndjson") ? [`${name}${BROTLI}`, [compress(content), { level: 0 as const }]] : [name, content],
      ),
    );
    // A fixed time: the same recording gives the same bytes.
    const options = { level: 9, mtime: new Date(1980, 0, 1) } as const;
    const bytes = zipSync({ [FILES.manifest]: strToU8(stringifyJson(manifest, 2)), ...compressed }, options);
    if (bytes.length <= maxBytes || (current.facts.length < 2 && current.commits.length < 2)) return bytes;
  }
}

/** Measured with 5,300 commits: 11 would make it a fifth smaller, and take forty times as long. */
const QUALITY = 5;
const compress = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

/** Writes a trace file; creates missing folders. A file of that name is replaced at once, never half. */
export async function writeTrace(file: string, content: TraceContent): Promise<void> {
  const bytes = await encodeTrace(content);
  const partial = `${file}.${process.pid}.partial`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(partial, bytes, { mode: 0o600 });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw new PintleError("PINTLE6573", `cannot write ${file} (${(error as NodeJS.ErrnoException).code}): choose another file`, {
      cause: error,
    });
  }
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function formatFiles({ facts, base, commits, schemas, sources, output }: TraceContent): Readonly<Record<string, string>> {
  return {
    [FILES.facts]: toLines(compactFacts(shareObjects(facts, base, commits), [...base, ...commits], commits)),
    [FILES.base]: toLines(base),
    [FILES.commits]: toLines(patchCommits(base, commits, factsOfCommits(facts))),
    [FILES.schemas]: stringifyJson(schemas),
    [FILES.output]: output,
    ...Object.fromEntries(Object.entries(sources).map(([name, text]) => [SOURCES + name, text])),
  };
}

const toLines = (values: readonly unknown[]) => values.map((value) => `${stringifyJson(value)}\n`).join("");

export const uidOf = (object: JsonObject | undefined) => (object?.["metadata"] as JsonObject | undefined)?.["uid"];

/** The resourceVersion of every commit is its revision. */
function withoutVersion(patch: JsonObject, revision: number): JsonObject {
  const { resourceVersion, ...metadata } = (patch["metadata"] ?? {}) as JsonObject;
  return resourceVersion === String(revision) ? { ...patch, metadata } : patch;
}

/** Commits as merge patches from the object before. */
function patchCommits(
  base: readonly TraceBaseObject[],
  commits: readonly TraceCommit[],
  facts: ReturnType<typeof factsOfCommits>,
): readonly object[] {
  const last = new Map(base.map(({ key, object }) => [key, object]));
  return commits.map((commit) => {
    const { object, ...rest } = { ...commit, fact: facts.get(commit.revision) };
    const before = last.get(commit.key);
    // Without a value, of a version that no pass of the operator read, the last known one stays.
    if (commit.operation === "delete") last.delete(commit.key);
    else if (object !== undefined) last.set(commit.key, object);
    const patch = object === undefined || before === undefined ? undefined : createMergePatch(before, object);
    const { uid, ...others } = rest;
    const line = uid === uidOf(object ?? before) ? others : rest;
    return patch === undefined ? { ...line, object } : { ...line, patch: withoutVersion(patch, commit.revision) };
  });
}

/**
 * Object facts whose value is that of a commit name its revision instead; others name the version before, with a merge patch. Controllers mostly read what
 * was committed as it was.
 */
function shareObjects(facts: readonly Fact[], base: readonly TraceBaseObject[], commits: readonly TraceCommit[]): readonly object[] {
  const committed = new Map<string, JsonObject>();
  for (const { revision, object } of [...base, ...commits]) if (object !== undefined) committed.set(String(revision), object);
  const last = new Map<string, JsonObject>();
  return facts.map((fact) => {
    if (fact.type !== "object") return fact;
    const { object, ...rest } = fact;
    const { uid, resourceVersion } = object["metadata"] as JsonObject;
    const stored = committed.get(String(resourceVersion));
    const before = last.get(String(uid));
    last.set(String(uid), object);
    if (stored !== undefined && isJsonEqual(stored, object)) return { ...rest, commit: Number(resourceVersion) };
    const patch = before === undefined ? undefined : createMergePatch(before, object);
    return patch === undefined ? fact : { ...rest, uid, patch };
  });
}

/** Moves the older half of the commits into the base, and drops the facts up to then. */
function dropOldest(content: TraceContent): TraceContent {
  const { base, commits, facts, dropped } = content;
  const count = Math.ceil(commits.length / 2);
  const objects = new Map(base.map((each) => [each.key, each]));
  for (const { key, revision, operation, object } of commits.slice(0, count)) {
    if (operation === "delete") objects.delete(key);
    else if (object !== undefined) objects.set(key, { key, revision, object });
  }
  const since = commits[count - 1]?.time;
  const kept = since === undefined ? facts.slice(Math.ceil(facts.length / 2)) : facts.filter(({ time }) => time > since);
  return {
    ...content,
    base: [...objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    commits: commits.slice(count),
    revision: commits[count - 1]?.revision ?? content.revision,
    // Object facts are what later passes read.
    facts: [...facts.filter((fact) => fact.type === "object" && !kept.includes(fact)).slice(-kept.length), ...kept],
    dropped: dropped + facts.length - kept.length,
  };
}
