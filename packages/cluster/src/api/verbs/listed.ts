import type { JsonObject } from "pintle/kinds";
import type { Entry } from "../../store/index.ts";
import { jsonText } from "../json-text.ts";
import { bare, presentList, type View } from "../present/present.ts";
import type { ObjectText } from "../request.ts";
import { apiVersionOf } from "../resource.ts";
import type { Viewed } from "../stored.ts";
import type { Answered } from "./answered.ts";
import type { Page } from "./list.ts";

/** A page as the request wants to see it. */
export function listed(view: View, page: Page): Answered {
  if (view.presentation.as === undefined) return new ListAnswer(view, page);
  return { status: 200, value: presented(view, page) };
}

function presented(view: View, { items, metadata }: Page): JsonObject {
  return presentList(
    view,
    items.map(({ object }) => object),
    metadata,
  );
}

/** A list whose items are copied from where they are stored, when it is text that is wanted. */
class ListAnswer implements Answered, ObjectText {
  readonly status = 200;
  readonly #view: View;
  readonly #page: Page;
  #value: JsonObject | undefined;

  constructor(view: View, page: Page) {
    this.#view = view;
    this.#page = page;
  }

  get value(): JsonObject {
    this.#value ??= presented(this.#view, this.#page);
    return this.#value;
  }

  get written(): ObjectText {
    return this;
  }

  get metadata(): ObjectText["metadata"] {
    return this.#page.metadata;
  }

  json(): Uint8Array {
    const { items, metadata } = this.#page;
    const { resource } = this.#view;
    const begin = jsonText(presentList(this.#view, [], metadata)).slice(0, -ENDING.length);
    // Items of built-in kinds do not say what they are: the list does.
    const said = Buffer.from(resource.typed ? `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",` : "{");
    const parts = items.map((item) => partOf(item, said, resource.typed));
    let size = Buffer.byteLength(begin) + parts.length + ENDING.length + 1;
    for (const part of parts) size += part.length;
    const bytes = Buffer.allocUnsafeSlow(size);
    let at = bytes.write(begin);
    for (const [index, part] of parts.entries()) {
      if (index > 0) bytes[at++] = COMMA;
      bytes[at++] = BRACE;
      at += part instanceof Uint8Array ? part.copy(bytes, at, 1) : part.copyText(bytes, at, said.length);
    }
    at += bytes.write(`${ENDING}\n`, at);
    return bytes.subarray(0, at);
  }
}

/** An item's text, which begins with what its list says already, or the text without that. */
function partOf(item: Viewed, said: Buffer, typed: boolean): Entry | Buffer {
  if (item.entry?.startsWith(said)) return item.entry;
  return Buffer.from(jsonText(typed ? bare(item.object) : item.object));
}

const ENDING = "]}";
const COMMA = 0x2c;
const BRACE = 0x7b;
