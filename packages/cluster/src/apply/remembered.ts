import type { FieldSet } from "pintle/merge";

/**
 * A function of two sets that remembers its answers. Objects of a kind mostly have the same fields and share one set of
 * them, so what follows from it is found out once. Sets never change, and nothing here keeps them alive.
 */
export function remembered(of: (a: FieldSet, b: FieldSet) => FieldSet): (a: FieldSet, b: FieldSet) => FieldSet {
  const known = new WeakMap<FieldSet, WeakMap<FieldSet, FieldSet>>();
  return (a, b) => {
    let answers = known.get(a);
    if (answers === undefined) {
      answers = new WeakMap();
      known.set(a, answers);
    }
    let answer = answers.get(b);
    if (answer === undefined) {
      answer = of(a, b);
      answers.set(b, answer);
    }
    return answer;
  };
}
