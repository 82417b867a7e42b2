import { findSourceFile } from "./bundle-sources.ts";

/** The file that Node writes with --cpu-prof. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[] | undefined;
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}
/** The file that Node writes with --heap-prof: live memory by the function that allocated it. */
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

/** The cost of a function, without (`self`) and with (`total`) its callees, in milliseconds or kilobytes. */
export interface FunctionCost {
  readonly name: string;
  readonly self: number;
  readonly total: number;
}

interface CallTree {
  readonly frame: CallFrame;
  readonly self: number;
  readonly children: readonly CallTree[];
}

const IDLE_FRAMES = new Set(["(idle)", "(root)"]);

/** The functions of a profile by self cost, highest first. Idle time is left out. */
export function rankFunctions(profile: CpuProfile | HeapProfile): readonly FunctionCost[] {
  const costs = new Map<string, { self: number; total: number }>();
  const visit = ({ frame, self, children }: CallTree, callers: readonly string[]): number => {
    const name = nameFrame(frame);
    const stack = [...callers, name];
    let total = IDLE_FRAMES.has(name) ? 0 : self;
    for (const child of children) total += visit(child, stack);
    const cost = costs.get(name) ?? { self: 0, total: 0 };
    costs.set(name, cost);
    if (!IDLE_FRAMES.has(name)) cost.self += self;
    // A recursive function counts once.
    if (!callers.includes(name)) cost.total += total;
    return total;
  };
  visit("head" in profile ? buildHeapTree(profile.head) : buildCpuTree(profile), []);
  return [...costs]
    .filter(([name]) => !IDLE_FRAMES.has(name))
    .map(([name, cost]) => ({ name, ...cost }))
    .sort((a, b) => b.self - a.self);
}

function buildCpuTree({ nodes, samples, timeDeltas }: CpuProfile): CallTree {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const self = new Map<number, number>();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[i] ?? 0) / 1000);
  const tree = (id: number): CallTree => {
    const { callFrame, children = [] } = byId.get(id)!;
    return { frame: callFrame, self: self.get(id) ?? 0, children: children.map(tree) };
  };
  return tree(nodes[0]!.id);
}

function buildHeapTree({ callFrame, selfSize, children }: HeapNode): CallTree {
  return { frame: callFrame, self: selfSize / 1024, children: children.map(buildHeapTree) };
}

/** "parse src/client/json.ts", or "parse b/c.js:12" with the last two folders where only a bundle is known. */
function nameFrame({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const source = findSourceFile(url, lineNumber);
  if (source !== undefined) return `${name} ${source}`;
  const file = url.startsWith("node:") ? url : url.split("/").slice(-2).join("/");
  return file === "" ? name : `${name} ${file}:${lineNumber + 1}`;
}

/** Two tables of the `top` functions: by self cost, and by total cost. */
export function formatFunctions(costs: readonly FunctionCost[], unit: "ms" | "KB", top: number): string {
  const sum = costs.reduce((sum, { self }) => sum + self, 0);
  const percent = (figure: number) => `${((100 * figure) / sum).toFixed(1).padStart(5)} %`;
  const formatRow = ({ name, self, total }: FunctionCost) =>
    `${self.toFixed(0).padStart(8)} ${percent(self)} ${total.toFixed(0).padStart(8)} ${percent(total)}  ${name}`;
  const header = `${`self ${unit}`.padStart(8)}         ${`total ${unit}`.padStart(8)}          function`;
  const byTotal = costs.toSorted((a, b) => b.total - a.total).slice(0, top);
  return [
    `${sum.toFixed(0)} ${unit} in total`,
    "",
    header,
    ...costs.slice(0, top).map(formatRow),
    "",
    "by total:",
    header,
    ...byTotal.map(formatRow),
  ].join("\n");
}
