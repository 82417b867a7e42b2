import { type Json, setOwn } from "../kinds/index.ts";

/** No object of Kubernetes comes near; a request that is deeper means harm. */
const DEEPEST = 500;

/** A copy to change. Keys are kept whatever they are called; undefined when it is nested too deep to be an object of anyone's. */
export function draft(value: Json): Json | undefined {
  try {
    return copied(value, 0);
  } catch (error) {
    if (error === TOO_DEEP) return undefined;
    throw error;
  }
}

const TOO_DEEP = new Error("nested too deep");

function copied(value: Json, depth: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => copied(item, depth + 1));
  const out: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) setOwn(out, key, copied(field as Json, depth + 1));
  return out;
}
