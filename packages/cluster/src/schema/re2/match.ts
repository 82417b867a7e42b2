import { ApiError, requestTimeout } from "../../status/index.ts";
import { Assertion } from "./parse.ts";
import { Op, type RegexProgram } from "./program.ts";

/**
 * The work that matching may still do, in visited instructions. Matching takes time in proportion to the length of the text times the size of
 * the pattern, which a client chooses both.
 */
export interface MatchBudget {
  remaining: number;
}

/** Thrown when a budget is spent; the response of the request that spent it. */
export class MatchBudgetExceeded extends ApiError {
  constructor() {
    const { code, reason, message, details } = requestTimeout();
    super(code, reason, message, details);
  }
}

/** Finds out where a program matches a text. */
export interface Matcher {
  /** Returns whether the pattern matches anywhere in the text. */
  test(text: string, budget: MatchBudget): boolean;
  /** Returns the range of the first match at or after `from`: the leftmost, and of these the preferred one. */
  find(text: string, from: number, budget: MatchBudget): readonly [start: number, end: number] | undefined;
}

/** What precedes a position. */
const Before = { text: 0, newline: 1, word: 2, other: 3 } as const;
/** Stands for the end of the text in place of a character. */
const END = -1;
/** A deterministic automaton is built on demand, up to this many states; then it starts over. */
const MAX_STATES = 128;
/** After this many states for one text, keeping states does not pay. */
const MAX_STATES_PER_TEXT = 1024;

/** A state of the deterministic automaton: all instructions that can be reached, and the kind of the last character. */
interface State {
  readonly instructions: Int32Array;
  readonly before: number;
  /** Next states by character; the end is at 128. */
  readonly ascii: (State | boolean | undefined)[];
  readonly others: Map<number, State | boolean>;
}

export function createMatcher(program: RegexProgram): Matcher {
  const { op, out, arg, sets, start } = program;
  const size = op.length;
  /** When each instruction was last visited, and when it was last added to the next list. */
  const visited = new Int32Array(size);
  const added = new Int32Array(size);
  let generation = 0;
  /** Every instruction is pushed at most twice in a step: before and after it was visited. */
  const stack = new Int32Array(2 * size + 2);
  /** Membership of ASCII characters, 128 per set: 0 not tested yet, 1 no, 2 yes. */
  const ascii = new Uint8Array(128 * sets.length);
  let states = new Map<string, State>();

  function isInSet(set: number, rune: number): boolean {
    if (rune >= 128) return sets[set]!.has(rune);
    const at = 128 * set + rune;
    if (ascii[at] === 0) ascii[at] = sets[set]!.has(rune) ? 2 : 1;
    return ascii[at] === 2;
  }

  /**
   * Makes one step from all instructions at once. Writes the next instructions to `next` and returns how many there are, or -1 if the pattern
   * matches before the character.
   */
  function step(instructions: Int32Array, count: number, before: number, rune: number, next: Int32Array, budget: MatchBudget): number {
    const holds = holdsBetween(before, rune);
    const now = ++generation;
    let found = 0;
    let work = 1;
    let depth = 0;
    for (let i = 0; i <= count; i++) {
      // A match may start at every position.
      stack[depth++] = i < count ? instructions[i]! : start;
      while (depth > 0) {
        const at = stack[--depth]!;
        if (visited[at] === now) continue;
        visited[at] = now;
        work++;
        const following = out[at]!;
        switch (op[at]) {
          case Op.match:
            spendBudget(budget, work);
            return -1;
          case Op.alternate:
            stack[depth++] = arg[at]!;
            stack[depth++] = following;
            break;
          case Op.assertion:
            if ((arg[at]! & holds) !== 0) stack[depth++] = following;
            break;
          case Op.rune:
            if (arg[at] === rune && added[following] !== now) {
              added[following] = now;
              next[found++] = following;
            }
            break;
          default:
            if (rune !== END && added[following] !== now && isInSet(arg[at]!, rune)) {
              added[following] = now;
              next[found++] = following;
            }
        }
      }
    }
    spendBudget(budget, work);
    return found;
  }

  const buffers = [new Int32Array(size), new Int32Array(size)] as const;

  function getState(instructions: Int32Array, before: number): State {
    const sorted = instructions.slice().sort();
    const key = `${before}:${sorted.join()}`;
    let state = states.get(key);
    if (state === undefined) {
      if (states.size >= MAX_STATES) states = new Map();
      state = { instructions: sorted, before, ascii: [], others: new Map() };
      states.set(key, state);
    }
    return state;
  }

  function nextState(state: State, rune: number, budget: MatchBudget): State | boolean {
    const [next] = buffers;
    const count = step(state.instructions, state.instructions.length, state.before, rune, next, budget);
    spendBudget(budget, 2 * Math.max(count, 1));
    const result = count < 0 ? true : rune === END ? false : getState(next.subarray(0, count), kindOf(rune));
    if (rune === END) state.ascii[128] = result;
    else if (rune < 128) state.ascii[rune] = result;
    else if (state.others.size < MAX_STATES) state.others.set(rune, result);
    return result;
  }

  return {
    test(text, budget) {
      let state = getState(new Int32Array(0), Before.text);
      let computed = 0;
      for (let at = 0; at <= text.length; ) {
        const rune = at === text.length ? END : runeAt(text, at);
        let next = rune < 128 ? state.ascii[rune === END ? 128 : rune] : state.others.get(rune);
        if (next === undefined) {
          if (++computed > MAX_STATES_PER_TEXT) return testWithoutStates(text, at, state, budget);
          next = nextState(state, rune, budget);
        }
        if (typeof next === "boolean") return next;
        state = next;
        at += rune > 0xffff ? 2 : 1;
      }
      return false;
    },

    find(text, from, budget) {
      // Threads in the order of their priority, each with the position where its match starts.
      let threads: number[] = [];
      let starts: number[] = [];
      let best: readonly [number, number] | undefined;
      for (let at = from; at <= text.length; ) {
        const rune = at === text.length ? END : runeAt(text, at);
        const holds = holdsBetween(kindBefore(text, at), rune);
        if (best === undefined) {
          threads.push(start);
          starts.push(at);
        } else if (threads.length === 0) break;
        const now = ++generation;
        let work = 1;
        let depth = 0;
        const nextThreads: number[] = [];
        const nextStarts: number[] = [];
        byPriority: for (const [i, thread] of threads.entries()) {
          stack[depth++] = thread;
          while (depth > 0) {
            const pc = stack[--depth]!;
            if (visited[pc] === now) continue;
            visited[pc] = now;
            work++;
            const operation = op[pc];
            if (operation === Op.match) {
              best = [starts[i]!, at];
              // Threads of less priority are given up.
              break byPriority;
            }
            const following = out[pc]!;
            if (operation === Op.alternate) {
              stack[depth++] = arg[pc]!;
              stack[depth++] = following;
            } else if (operation === Op.assertion) {
              if ((arg[pc]! & holds) !== 0) stack[depth++] = following;
            } else if (rune !== END && added[following] !== now && (operation === Op.rune ? arg[pc] === rune : isInSet(arg[pc]!, rune))) {
              added[following] = now;
              nextThreads.push(following);
              nextStarts.push(starts[i]!);
            }
          }
        }
        spendBudget(budget, work);
        threads = nextThreads;
        starts = nextStarts;
        at += rune > 0xffff ? 2 : 1;
      }
      return best;
    },
  };

  function testWithoutStates(text: string, from: number, { instructions, before: kind }: State, budget: MatchBudget): boolean {
    let [current, next] = [instructions, buffers[0]];
    let count = instructions.length;
    let before = kind;
    for (let at = from; at <= text.length; ) {
      const rune = at === text.length ? END : runeAt(text, at);
      count = step(current, count, before, rune, next, budget);
      if (count < 0) return true;
      [current, next] = [next, next === buffers[0] ? buffers[1] : buffers[0]];
      before = kindOf(rune);
      at += rune > 0xffff ? 2 : 1;
    }
    return false;
  }
}

/** Computes the assertions that hold between two characters. */
function holdsBetween(before: number, rune: number): number {
  let flags = before === Before.text ? Assertion.beginText | Assertion.beginLine : before === Before.newline ? Assertion.beginLine : 0;
  if (rune === END) flags |= Assertion.endText | Assertion.endLine;
  else if (rune === 0x0a) flags |= Assertion.endLine;
  return flags | ((before === Before.word) === isWord(rune) ? Assertion.noWordBoundary : Assertion.wordBoundary);
}

function spendBudget(budget: MatchBudget, work: number): void {
  budget.remaining -= work;
  if (budget.remaining < 0) throw new MatchBudgetExceeded();
}

function runeAt(text: string, at: number): number {
  const code = text.codePointAt(at)!;
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

function kindBefore(text: string, at: number): number {
  return at === 0 ? Before.text : kindOf(text.charCodeAt(at - 1));
}

const kindOf = (rune: number) => (rune === 0x0a ? Before.newline : isWord(rune) ? Before.word : Before.other);

const isWord = (rune: number) =>
  (rune >= 0x61 && rune <= 0x7a) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x30 && rune <= 0x39) || rune === 0x5f;
