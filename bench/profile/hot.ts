import { sourceOf } from "./sources.ts";

/** What V8 writes with --cpu-prof. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[] | undefined;
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
/** What it writes with --heap-prof: what was allocated where and is still there. */
export interface HeapProfile {
  readonly head: HeapNode;
}
interface HeapNode {
  readonly callFrame: CallFrame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}
interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** A function: what it took itself, and with everything it called. Milliseconds, or kilobytes. */
export interface Hot {
  readonly name: string;
  readonly self: number;
  readonly total: number;
}

interface Tree {
  readonly frame: CallFrame;
  readonly self: number;
  readonly children: readonly Tree[];
}

const WAITING = new Set(["(idle)", "(root)"]);

/** Functions of a profile, the hottest first; the time spent waiting is left out. */
export function hot(profile: CpuProfile | HeapProfile): readonly Hot[] {
  const found = new Map<string, { self: number; total: number }>();
  const visit = ({ frame, self, children }: Tree, above: readonly string[]): number => {
    const name = nameOf(frame);
    const inside = [...above, name];
    let total = WAITING.has(name) ? 0 : self;
    for (const child of children) total += visit(child, inside);
    const sums = found.get(name) ?? { self: 0, total: 0 };
    found.set(name, sums);
    if (!WAITING.has(name)) sums.self += self;
    // A function that calls itself counts once.
    if (!above.includes(name)) sums.total += total;
    return total;
  };
  visit("head" in profile ? heapTree(profile.head) : cpuTree(profile), []);
  return [...found]
    .filter(([name]) => !WAITING.has(name))
    .map(([name, sums]) => ({ name, ...sums }))
    .sort((a, b) => b.self - a.self);
}

function cpuTree({ nodes, samples, timeDeltas }: CpuProfile): Tree {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const self = new Map<number, number>();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[i] ?? 0) / 1000);
  const tree = (id: number): Tree => {
    const { callFrame, children = [] } = byId.get(id)!;
    return { frame: callFrame, self: self.get(id) ?? 0, children: children.map(tree) };
  };
  return tree(nodes[0]!.id);
}

function heapTree({ callFrame, selfSize, children }: HeapNode): Tree {
  return { frame: callFrame, self: selfSize / 1024, children: children.map(heapTree) };
}

/** "parse src/client/json.ts", or "parse b/c.js:12" with the last two folders where only a bundle is known. */
function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const source = sourceOf(url, lineNumber);
  if (source !== undefined) return `${name} ${source}`;
  const file = url.startsWith("node:") ? url : url.split("/").slice(-2).join("/");
  return file === "" ? name : `${name} ${file}:${lineNumber + 1}`;
}

/** A table of the hottest, by what they took themselves, then by what they took with their callees. */
export function hotText(all: readonly Hot[], unit: "ms" | "KB", top: number): string {
  const whole = all.reduce((sum, { self }) => sum + self, 0);
  const part = (figure: number) => `${((100 * figure) / whole).toFixed(1).padStart(5)} %`;
  const line = ({ name, self, total }: Hot) =>
    `${self.toFixed(0).padStart(8)} ${part(self)} ${total.toFixed(0).padStart(8)} ${part(total)}  ${name}`;
  const head = `${`self ${unit}`.padStart(8)}         ${`total ${unit}`.padStart(8)}          function`;
  const byTotal = all.toSorted((a, b) => b.total - a.total).slice(0, top);
  return [`${whole.toFixed(0)} ${unit} in all`, "", head, ...all.slice(0, top).map(line), "", "by total:", head, ...byTotal.map(line)].join(
    "\n",
  );
}
