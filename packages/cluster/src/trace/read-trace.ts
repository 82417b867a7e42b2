import { readFileSync, statSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { Fact } from "pintle";
import { PintleError } from "pintle/internal/errors";
import { isJsonObject, parseJson } from "pintle/internal/json";
import { FACTS_VERSION } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import { restoreFacts } from "./compact-facts.ts";
import { applyMergePatch, type OnCopy } from "./merge-patch.ts";
import {
  BROTLI,
  FILES,
  LIMITS,
  SOURCES,
  TRACE_VERSION,
  type Trace,
  type TraceBaseObject,
  type TraceCommit,
  type TraceLimits,
  type TraceManifest,
} from "./trace-file.ts";
import { sha256, uidOf } from "./write-trace.ts";

/**
 * Reads a trace file. Throws `PintleError` PINTLE6572 with one sentence for a file that cannot be read, is none, is damaged, too large, or of a newer version.
 *
 * @example
 * ```ts
 * import { readTrace } from "@pintle/cluster";
 *
 * const trace = await readTrace("failed.pintle-trace");
 * console.log(trace.manifest.about, trace.facts.length);
 * ```
 */
export async function readTrace(file: string): Promise<Trace> {
  let bytes: Uint8Array;
  try {
    if (statSync(file).size > LIMITS.file)
      throw refuse(file, `is larger than ${LIMITS.file / 1024 / 1024} MB, more than a trace file can be`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof PintleError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(file, code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  }
  return parseTrace(bytes, file);
}

/** Reads a trace file from its bytes; `name` is for errors. Throws as `readTrace`. */
export async function parseTrace(bytes: Uint8Array, name: string, limits: TraceLimits = LIMITS): Promise<Trace> {
  const isZip = bytes.length > 4 && bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
  if (!isZip) throw refuse(name, "is not a trace file of pintle");
  const files = decompress(await unzip(bytes, name, limits), name, limits);
  const manifest = readManifest(files, name);
  try {
    return buildTrace(manifest, files, name, limits);
  } catch (error) {
    if (error instanceof PintleError) throw error;
    // Any other malformed content of a file that was written by hand.
    throw refuse(name, "is damaged: its contents do not belong together");
  }
}

const refuseSize = (name: string, { content }: TraceLimits) =>
  refuse(name, `would take more than ${content / 1024 / 1024} MB of memory, and is refused`);
const refuse = (name: string, what: string) => new PintleError("PINTLE6572", `${name} ${what}`);

async function unzip(bytes: Uint8Array, name: string, limits: TraceLimits): Promise<Readonly<Record<string, Uint8Array>>> {
  const { unzipSync } = await import("fflate");
  let [content, count] = [0, 0];
  try {
    return unzipSync(bytes, {
      // The sizes are those of the directory; what is longer is cut, and then differs from its hash.
      filter({ originalSize }) {
        content += originalSize;
        if (++count > limits.files) throw refuse(name, `holds more than ${limits.files} files, and is refused`);
        if (content > limits.content) throw refuseSize(name, limits);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof PintleError) throw error;
    throw refuse(name, "is truncated or damaged");
  }
}

/** Decompresses the files that are compressed with Brotli, as far as their contents together are not too large. */
function decompress(files: Readonly<Record<string, Uint8Array>>, name: string, limits: TraceLimits): Readonly<Record<string, Uint8Array>> {
  let left = limits.content - Object.values(files).reduce((sum, { length }) => sum + length, 0);
  let values = 0;
  const contents = new Map<string, Uint8Array>();
  for (const [file, bytes] of Object.entries(files)) {
    const isCompressed = file.endsWith(`.ndjson${BROTLI}`);
    const plain = isCompressed ? file.slice(0, -BROTLI.length) : file;
    if (contents.has(plain)) throw refuse(name, `is damaged: it holds ${JSON.stringify(plain)} twice`);
    const content = isCompressed ? decompressFile(bytes, left, name, limits) : bytes;
    if (isCompressed) left -= content.length;
    contents.set(plain, content);
    if (/\.(nd)?json$/.test(plain)) values += countValues(content);
    if (values > limits.values) throw refuseSize(name, limits);
  }
  return Object.fromEntries(contents);
}

/** Not less than the number of values in a JSON text. */
function countValues(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b || byte === 0x0a) count++;
  return count;
}

function decompressFile(bytes: Uint8Array, maxOutputLength: number, name: string, limits: TraceLimits): Uint8Array {
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, maxOutputLength) });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? refuseSize(name, limits) : refuse(name, "is truncated or damaged");
  }
}

function readManifest(files: Readonly<Record<string, Uint8Array>>, name: string): TraceManifest {
  const bytes = Object.hasOwn(files, FILES.manifest) ? files[FILES.manifest] : undefined;
  if (bytes === undefined) throw refuse(name, "is a zip file, but not a trace file of pintle");
  let manifest: Partial<TraceManifest>;
  try {
    manifest = parseJson(bytes) as TraceManifest;
  } catch {
    throw refuse(name, "is damaged: its manifest is no JSON");
  }
  if (!isJsonObject(manifest) || (manifest as Partial<TraceManifest>).format !== "pintle-trace")
    throw refuse(name, "is a zip file, but not a trace file of pintle");
  const { version, facts } = manifest;
  if (!Number.isSafeInteger(version) || !Number.isSafeInteger(facts) || !isJsonObject(manifest.files) || !isJsonObject(manifest.about))
    throw refuse(name, "is damaged: its manifest is incomplete");
  if ((version as number) > TRACE_VERSION || (facts as number) > FACTS_VERSION)
    throw refuse(name, `was written by a newer pintle (trace version ${version}, this one reads up to ${TRACE_VERSION}): update pintle`);
  for (const [file, known] of Object.entries(manifest.files)) {
    const content = Object.hasOwn(files, file) ? files[file] : undefined;
    if (content === undefined || sha256(content) !== (known as Partial<typeof known> | null)?.sha256)
      throw refuse(name, `is damaged: ${JSON.stringify(file)} ${content === undefined ? "is missing" : "differs from its checksum"}`);
  }
  const unknown = Object.keys(files).find((file) => file !== FILES.manifest && !Object.hasOwn(manifest.files as object, file));
  if (unknown !== undefined) throw refuse(name, `is damaged: it holds ${JSON.stringify(unknown)}, which its manifest does not list`);
  return manifest as TraceManifest;
}

function buildTrace(manifest: TraceManifest, files: Readonly<Record<string, Uint8Array>>, name: string, limits: TraceLimits): Trace {
  const text = (file: string) => (Object.hasOwn(files, file) ? Buffer.from(files[file] as Uint8Array).toString("utf8") : "");
  const lines = (file: string): readonly JsonObject[] =>
    text(file)
      .split("\n")
      .filter(Boolean)
      .map((line, i) => {
        try {
          const value = parseJson(Buffer.from(line));
          if (isJsonObject(value)) return value;
        } catch {}
        throw refuse(name, `is damaged: line ${i + 1} of ${file} is no JSON object`);
      });
  const base = lines(FILES.base).map((line, i) =>
    requireFields(line, BASE_FIELDS, `line ${i + 1} of ${FILES.base}`, name),
  ) as unknown as TraceBaseObject[];
  let copies = 0;
  const onCopy = (count: number) => {
    copies += count;
    if (copies > limits.copies) throw refuseSize(name, limits);
  };
  const commits = restoreCommits(base, lines(FILES.commits), name, onCopy);
  const facts = restoreObjects(restoreFacts(lines(FILES.facts), [...base, ...commits], commits), base, commits, name, onCopy);
  const schemas = Object.hasOwn(files, FILES.schemas) ? parseJson(files[FILES.schemas] as Uint8Array) : {};
  if (!isJsonObject(schemas)) throw refuse(name, `is damaged: ${FILES.schemas} is no JSON object`);
  const sources = Object.fromEntries(
    Object.keys(files)
      .filter((file) => file.startsWith(SOURCES))
      .map((file) => [file.slice(SOURCES.length), text(file)]),
  );
  return { manifest, facts, base, commits: commits.map(({ fact: _, ...commit }) => commit), schemas, sources, output: text(FILES.output) };
}

type FieldTypes = Readonly<Record<string, "string" | "number" | "object" | "array" | "boolean">>;
const BASE_FIELDS: FieldTypes = { key: "string", revision: "number", object: "object" };
const COMMIT_FIELDS: FieldTypes = { key: "string", revision: "number", time: "number", operation: "string" };
const FACT_FIELDS: Readonly<Record<string, FieldTypes>> = {
  build: { result: "string", entry: "string", duration: "number" },
  request: { side: "string", id: "string", verb: "string", code: "number", duration: "number" },
  commit: { operation: "string", key: "string", revision: "number", uid: "string" },
  enqueue: { controller: "string", key: "string", cause: "object", merged: "boolean" },
  drop: { controller: "string", reason: "string" },
  run: { id: "string", controller: "string", key: "string", causes: "array", waited: "number", duration: "number", result: "string" },
  plan: {
    run: "string",
    controller: "string",
    pass: "number",
    object: "object",
    phase: "string",
    now: "number",
    reads: "array",
    steps: "array",
  },
  object: { kind: "string", object: "object" },
  log: { level: "string", message: "string" },
  watch: { kind: "string", event: "string" },
  webhook: { webhook: "string", kind: "string", operation: "string", allowed: "boolean", code: "number", duration: "number" },
  fault: { target: "string", fault: "string", subject: "string" },
};

function requireFields(line: JsonObject, fields: FieldTypes, where: string, name: string): JsonObject {
  for (const [field, type] of Object.entries(fields)) {
    const value = line[field];
    const isRight = type === "array" ? Array.isArray(value) : type === "object" ? isJsonObject(value) : typeof value === type;
    if (!isRight) throw refuse(name, `is damaged: ${where} has no ${field}`);
  }
  return line;
}

function restoreCommits(
  base: readonly TraceBaseObject[],
  lines: readonly JsonObject[],
  name: string,
  onCopy: OnCopy,
): readonly TraceCommit[] {
  const last = new Map(base.map(({ key, object }) => [key, object]));
  return lines.map((line, i) => {
    const where = `line ${i + 1} of ${FILES.commits}`;
    const { patch, ...rest } = requireFields(line, COMMIT_FIELDS, where, name);
    if (rest["fact"] !== undefined && !Array.isArray(rest["fact"])) throw refuse(name, `is damaged: ${where} has no fact`);
    const key = rest["key"] as string;
    let { object } = rest;
    if (isJsonObject(patch)) {
      const before = last.get(key);
      if (before === undefined) throw refuse(name, `is damaged: ${where} changes an object that does not exist`);
      const metadata = { resourceVersion: String(rest["revision"]), ...(isJsonObject(patch["metadata"]) ? patch["metadata"] : {}) };
      object = applyMergePatch(before, { ...patch, metadata }, onCopy);
    }
    if (object !== undefined && !isJsonObject(object)) throw refuse(name, `is damaged: ${where} has no object`);
    const { uid = uidOf(object ?? last.get(key)) } = rest;
    if (typeof uid !== "string") throw refuse(name, `is damaged: ${where} has no uid`);
    if (rest["operation"] === "delete") last.delete(key);
    else if (object !== undefined) last.set(key, object);
    return { ...rest, uid, object } as unknown as TraceCommit;
  });
}

function restoreObjects(
  lines: readonly JsonObject[],
  base: readonly TraceBaseObject[],
  commits: readonly TraceCommit[],
  name: string,
  onCopy: OnCopy,
): readonly Fact[] {
  const committed = new Map<unknown, JsonObject | undefined>([...base, ...commits].map(({ revision, object }) => [revision, object]));
  const last = new Map<unknown, JsonObject>();
  return lines.map((line, i) => {
    const where = `line ${i + 1} of ${FILES.facts}`;
    const { commit, patch, uid, ...rest } = line;
    let fact = line;
    if (line["type"] === "object") {
      let object = line["object"];
      if (commit !== undefined) {
        const stored = committed.get(commit);
        if (stored !== undefined) object = stored;
      } else if (isJsonObject(patch)) {
        const before = last.get(uid);
        if (before !== undefined) object = applyMergePatch(before, patch, onCopy);
      }
      if (!isJsonObject(object) || !isJsonObject(object["metadata"])) throw refuse(name, `is damaged: ${where} has no object`);
      last.set(object["metadata"]["uid"], object);
      fact = { ...rest, object };
    }
    const type = String(fact["type"]);
    const fields = Object.hasOwn(FACT_FIELDS, type) ? FACT_FIELDS[type] : undefined;
    if (fields === undefined) throw refuse(name, `is damaged: ${where} is no fact`);
    return requireFields(fact, { sequence: "number", time: "number", ...fields }, where, name) as unknown as Fact;
  });
}
