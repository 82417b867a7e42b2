import type { JsonObject } from "pintle/kinds";
import { presentObject, type View } from "../present/present.ts";
import type { ObjectText } from "../request.ts";
import type { Viewed } from "../stored.ts";

/** What a verb has to say, before it becomes an answer. */
export interface Answered {
  readonly status: number;
  /** May have to be put together first: not asked for in vain. */
  readonly value: JsonObject;
  /** The same where it need not be written anew. */
  readonly written?: ObjectText | undefined;
}

/** One object, as the request wants to see it. */
export function answered(status: number, view: View, viewed: Viewed): Answered {
  const { entry } = viewed;
  if (entry === undefined || view.presentation.as !== undefined) return { status, value: presentObject(view, viewed.object) };
  return new StoredAnswer(status, viewed);
}

class StoredAnswer implements Answered, ObjectText {
  readonly status: number;
  readonly #viewed: Viewed;

  constructor(status: number, viewed: Viewed) {
    this.status = status;
    this.#viewed = viewed;
  }

  get value(): JsonObject {
    return this.#viewed.object;
  }

  get written(): ObjectText {
    return this;
  }

  get metadata(): ObjectText["metadata"] {
    const { key = "", revision } = this.#viewed.entry ?? {};
    return { name: key.slice(key.lastIndexOf("/") + 1), resourceVersion: String(revision) };
  }

  json(): Uint8Array {
    return (this.#viewed.entry as NonNullable<Viewed["entry"]>).line();
  }
}
