import type { BuildProblem, BuildState, FactDetails, FactsPage, Session } from "../protocol.ts";
import { PROTOCOL_VERSION } from "../protocol.ts";
import { invalid, notFound } from "../source/index.ts";
import { lastSequence, limitOf, numberOf, type RouteContext, type View } from "./route-context.ts";
import { excerptOf, findFile } from "./source-excerpt.ts";

export function getSession(view: View, version: string): Session {
  const { source, index } = view;
  const state = source.state();
  const { actions } = source;
  return {
    protocol: PROTOCOL_VERSION,
    version,
    mode: source.mode,
    name: source.name,
    cluster: source.cluster,
    recording: source.recording.id,
    can: source.can,
    readOnlyReason: source.readOnlyReason,
    now: source.now(),
    virtualClock: source.virtualClock,
    revision: state?.revision,
    oldestRevision: state?.oldestRevision,
    sequence: index.sequence,
    oldestSequence: index.oldestSequence,
    dropped: source.recording.dropped,
    build: describeBuild(view),
    operator: source.operatorState?.(),
    forks: actions.forks?.list() ?? [],
    faults: actions.faults?.list().length ?? 0,
    trace: source.trace,
    samples: source.samples,
    kubectl: source.kubectl,
  };
}

/** The last build, with the places of its problems. */
export function describeBuild({ index, source }: View): BuildState | undefined {
  const build = index.builds.at(-1);
  if (build === undefined) return undefined;
  return {
    number: index.builds.filter(({ result }) => result !== "failed").length,
    result: build.result,
    time: build.time,
    duration: build.duration,
    entry: build.entry,
    problems: (build.problems ?? []).map((text): BuildProblem => {
      const [, file, line, column] = /(?:^|\s)([^\s:()]+\.[cm]?[jt]sx?):(\d+):(\d+)/.exec(text) ?? [];
      if (file === undefined) return { text };
      const found = findFile(source.sources(), file);
      return {
        text,
        file,
        line: Number(line),
        column: Number(column),
        excerpt: found === undefined ? undefined : excerptOf(found, Number(line), Number(column)),
      };
    }),
  };
}

const MAX_FACTS = 5_000;
const MAX_DETAILS = 200;

export function getFacts(context: RouteContext): FactsPage {
  const { view, query } = context;
  const { index, source } = view;
  const after = numberOf(query, "after") ?? 0;
  const before = Math.min(numberOf(query, "before") ?? Number.POSITIVE_INFINITY, lastSequence(context) + 1);
  const types = query.get("types")?.split(",").filter(Boolean);
  const [text, object] = [query.get("q")?.toLowerCase() || undefined, query.get("object") || undefined];
  const limit = limitOf(query, MAX_FACTS, MAX_FACTS);
  const rows = [];
  let more = false;
  for (let i = index.rows.length - 1; i >= 0; i--) {
    const row = index.rows[i]!;
    if (row.sequence >= before) continue;
    if (row.sequence <= after) break;
    if (types !== undefined && types.length > 0 && !types.includes(row.type)) continue;
    if (object !== undefined && row.object !== object) continue;
    if (text !== undefined && !row.text.toLowerCase().includes(text) && row.object?.toLowerCase().includes(text) !== true) continue;
    if (rows.length === limit) {
      more = true;
      break;
    }
    rows.push(row);
  }
  return { recording: source.recording.id, rows: rows.reverse(), more, sequence: index.sequence, oldestSequence: index.oldestSequence };
}

export function getFact(context: RouteContext): FactDetails {
  const sequence = Number(context.params["sequence"]);
  if (!Number.isSafeInteger(sequence)) throw invalid("The sequence must be a number.");
  const facts = selectFacts(context, sequence, sequence);
  if (facts.length === 0) throw notFound(`The fact ${sequence} is not retained any more.`);
  return { facts };
}

export function getFactDetails(context: RouteContext): FactDetails {
  const [from, to] = [numberOf(context.query, "from"), numberOf(context.query, "to")];
  if (from === undefined || to === undefined) throw invalid("from and to are needed: sequences of facts.");
  return { facts: selectFacts(context, from, Math.min(to, from + MAX_DETAILS - 1)) };
}

function selectFacts({ view: { index } }: RouteContext, from: number, to: number) {
  const { facts } = index;
  let [low, high] = [0, facts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (facts[middle]!.sequence < from) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (let i = low; i < facts.length && facts[i]!.sequence <= to; i++) found.push(facts[i]!);
  return found;
}
