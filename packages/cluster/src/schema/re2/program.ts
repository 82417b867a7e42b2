import type { PatternNode } from "./parse.ts";
import type { RuneSet } from "./rune-set.ts";

/** Operations of a program. */
export const Op = {
  match: 0,
  /** Continues at `out` and, with less priority, at `arg`. */
  alternate: 1,
  /** Continues at `out` where the assertions `arg` hold. */
  assertion: 2,
  /** Consumes the character `arg`. */
  rune: 3,
  /** Consumes a character of the set `arg`. */
  set: 4,
} as const;

/** A pattern as instructions for a nondeterministic automaton. Instruction 0 is the match. */
export interface RegexProgram {
  readonly op: Uint8Array;
  readonly out: Int32Array;
  readonly arg: Int32Array;
  readonly sets: readonly RuneSet[];
  readonly start: number;
}

/** Compiles a syntax tree. Every node is compiled before what precedes it, so that its continuation is known. */
export function compileProgram(root: PatternNode): RegexProgram {
  const op: number[] = [];
  const out: number[] = [];
  const arg: number[] = [];
  const sets: RuneSet[] = [];
  const setIndexes = new Map<RuneSet, number>();
  const emit = (operation: number, next: number, argument: number): number => {
    op.push(operation);
    out.push(next);
    return arg.push(argument) - 1;
  };
  const emitAlternate = (preferred: number, other: number) => emit(Op.alternate, preferred, other);
  const emitOptional = (body: number, next: number, isGreedy: boolean) =>
    isGreedy ? emitAlternate(body, next) : emitAlternate(next, body);

  function compile(node: PatternNode, next: number): number {
    switch (node.is) {
      case "rune":
        return emit(Op.rune, next, node.rune);
      case "set":
        return emit(Op.set, next, indexOfSet(node.set));
      case "assertion":
        return emit(Op.assertion, next, node.assertion);
      case "concat":
        return node.parts.reduceRight((following, part) => compile(part, following), next);
      case "alternate":
        return node.parts.map((part) => compile(part, next)).reduceRight((others, one) => emitAlternate(one, others));
      case "repeat":
        return compileRepeat(node, next);
    }
  }

  function compileRepeat({ part, min, max, isGreedy }: Extract<PatternNode, { is: "repeat" }>, next: number): number {
    let entry = next;
    if (max < 0) {
      const loop = emitOptional(0, next, isGreedy);
      const body = compile(part, loop);
      if (isGreedy) out[loop] = body;
      else arg[loop] = body;
      // With an empty match of the part, the order of priority is that of (part+)?.
      entry = min > 0 ? body : isNullable(part) ? emitOptional(body, next, isGreedy) : loop;
    } else {
      for (let i = min; i < max; i++) entry = emitOptional(compile(part, entry), next, isGreedy);
    }
    for (let i = max < 0 ? 1 : 0; i < min; i++) entry = compile(part, entry);
    return entry;
  }

  function indexOfSet(set: RuneSet): number {
    let index = setIndexes.get(set);
    if (index === undefined) {
      index = sets.push(set) - 1;
      setIndexes.set(set, index);
    }
    return index;
  }

  const start = compile(root, emit(Op.match, 0, 0));
  return { op: Uint8Array.from(op), out: Int32Array.from(out), arg: Int32Array.from(arg), sets, start };
}

function isNullable(node: PatternNode): boolean {
  switch (node.is) {
    case "rune":
    case "set":
      return false;
    case "assertion":
      return true;
    case "concat":
      return node.parts.every(isNullable);
    case "alternate":
      return node.parts.some(isNullable);
    case "repeat":
      return node.min === 0 || isNullable(node.part);
  }
}
