import { PintleError } from "pintle/internal/errors";
import { decodeBlob } from "./blobs.ts";
import { type BlobName, CatalogModelBuilder, type ModelProblem } from "./catalog-model.ts";
import { MetaReader } from "./meta-reader.ts";
import { type ErrorTree, findModelProblems } from "./validate-model.ts";

/** One thing that is wrong with a catalog, and where. */
export interface CatalogProblem {
  /** Not known for what is missing. */
  readonly file?: string;
  /** Of the blob, or of the place in it that cannot be parsed. */
  readonly line?: number;
  readonly package?: string;
  /** The words of operator-registry. */
  readonly message: string;
  /** What helps. */
  readonly advice?: string;
}

/** The files of a catalog. They are read again to find lines. */
export interface CatalogFiles {
  readonly names: readonly string[];
  read(name: string): Iterable<Buffer>;
}

interface Place {
  readonly file: string;
  readonly offset: number;
}

/** Lists all problems of a catalog, each with its place, where `CatalogValidator` stops at the first, as `opm validate` does. */
export function listCatalogProblems(files: CatalogFiles): readonly CatalogProblem[] {
  const found: ModelProblem[] = [];
  const model = new CatalogModelBuilder((problem) => found.push(problem));
  const places = new Map<string, Place>();
  const unreadable: CatalogProblem[] = [];
  for (const file of files.names) {
    const reader = new MetaReader();
    let decoding: number | undefined;
    try {
      for (const metas of readMetas(reader, files.read(file))) {
        for (const located of metas) {
          const { offset } = located;
          decoding = offset;
          const { schema, package: owner, name } = located.meta;
          model.add(decodeBlob(located.meta));
          const key = keyOf(schema, schema === "olm.package" ? name : owner, schema === "olm.deprecations" ? "" : name);
          // A duplicate is reported at the last of its name.
          places.set(key, { file, offset });
          decoding = undefined;
        }
      }
    } catch (error) {
      if (!(error instanceof PintleError)) throw error;
      unreadable.push(locateInBlob(error.message, { file, offset: decoding ?? reader.offset }, files));
    }
  }
  // What a blob that cannot be read says is not known: what else is reported would follow from that.
  if (unreadable.length > 0) return unreadable;
  for (const problem of findModelProblems(model.build()).flatMap(listLeaves)) found.push(problem);
  // A channel that a package names by mistake has no blob.
  const placeOf = ({ schema, package: owner, name }: BlobName) =>
    places.get(keyOf(schema, owner, name)) ?? places.get(keyOf("olm.package", owner, owner));
  const lines = findLinesOf(
    found.flatMap(({ about }) => placeOf(about) ?? []),
    files,
  );
  return found.map(({ message, about }) => {
    const place = placeOf(about);
    const advice = adviseOn(message);
    return {
      ...(place === undefined ? {} : { file: place.file, line: lines.get(place)! }),
      ...(about.package === "" ? {} : { package: about.package }),
      message,
      ...(advice === undefined ? {} : { advice }),
    };
  });
}

function findLinesOf(places: readonly Place[], files: CatalogFiles): ReadonlyMap<Place, number> {
  const lines = new Map<Place, number>();
  const byFile = new Map<string, Place[]>();
  for (const place of places) {
    const inFile = byFile.get(place.file);
    if (inFile === undefined) byFile.set(place.file, [place]);
    else inFile.push(place);
  }
  for (const [file, inFile] of byFile) {
    const found = findLines(
      files.read(file),
      inFile.map(({ offset }) => offset),
    );
    for (const place of inFile) lines.set(place, found.get(place.offset)!);
  }
  return lines;
}

function* readMetas(reader: MetaReader, chunks: Iterable<Buffer>) {
  for (const chunk of chunks) yield reader.push(chunk);
  yield reader.end();
}

const keyOf = (schema: string, owner: string, name: string) => `${schema}\n${owner}\n${name}`;

/** The problems without those that they belong to, which `about` names. */
function listLeaves({ about, problems }: ErrorTree): ModelProblem[] {
  return problems.flatMap((problem) => {
    if (typeof problem !== "string") return listLeaves(problem);
    return about === undefined ? [] : [{ message: `${describe(about)}: ${problem}`, about }];
  });
}

function describe({ schema, package: owner, name }: BlobName): string {
  return schema === "olm.package" ? `package "${owner}"` : `package "${owner}", ${schema.slice("olm.".length)} "${name}"`;
}

/** The parser names a line of the blob, and shows an excerpt. */
function locateInBlob(text: string, place: Place, files: CatalogFiles): CatalogProblem {
  const within = / at line (\d+), column \d+(?=:|$)/m.exec(text);
  const start = findLinesOf([place], files).get(place)!;
  const message = (within === null ? text : text.slice(0, within.index)).trimEnd();
  return { file: place.file, line: start + (within === null ? 0 : Number(within[1]) - 1), message };
}

const NEWLINE = 0x0a;

/** Finds the lines of offsets in one pass over a file. */
function findLines(chunks: Iterable<Buffer>, offsets: readonly number[]): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  const waiting = [...new Set(offsets)].sort((a, b) => b - a);
  let [line, start] = [1, 0];
  for (const chunk of chunks) {
    for (let at = 0; ; ) {
      const newline = chunk.indexOf(NEWLINE, at);
      const end = start + (newline === -1 ? chunk.length : newline + 1);
      while (waiting.length > 0 && waiting.at(-1)! < end) lines.set(waiting.pop()!, line);
      if (newline === -1) break;
      line++;
      at = newline + 1;
    }
    start += chunk.length;
    if (waiting.length === 0) break;
  }
  for (const offset of waiting) lines.set(offset, line);
  return lines;
}

/** By a part of the message. */
const ADVICE: readonly (readonly [part: string, advice: string])[] = [
  ["multiple channel heads found", "let the newest replace or skip the others, directly or through other entries"],
  ["no channel head found", "every entry is replaced or skipped by another: the newest must not be"],
  ["detected cycle in replaces chain", "remove one of these replaces"],
  ["stranded bundles", "let an entry that the newest leads to replace or skip them"],
  ["not found in any channel entries", "add it to the entries of a channel, or remove its blob"],
  ["no olm.bundle blobs found", "add the blobs of these bundles, or remove the entries"],
  ["channel must contain at least one bundle", "add entries, or name another channel where defaultChannel names this one"],
  ["default channel must be set", "name a channel in defaultChannel of the package"],
  ["unknown package", "add a blob of the schema olm.package with this name"],
  ["package must contain at least one channel", "add a blob of the schema olm.channel"],
];

function adviseOn(message: string): string | undefined {
  return ADVICE.find(([part]) => message.includes(part))?.[1];
}
