import type { JsonObject } from "pintle/kinds";
import { encodeProtobuf, encodeProtobufList } from "../../codec/index.ts";
import { jsonText } from "../json-text.ts";
import { type Form, metadataForm, type Part, pieced, plainForm, wholeForm } from "../present/pieced.ts";
import { type ListMeta, presentList, type View } from "../present/present.ts";
import { inOrder, row } from "../present/table.ts";
import type { ObjectText } from "../request.ts";
import { apiVersionOf } from "../resource.ts";
import type { Viewed } from "../stored.ts";
import type { Answered } from "./answered.ts";

/** Objects of a collection, as of one revision. */
export interface Page {
  readonly items: readonly Viewed[];
  readonly metadata: ListMeta;
}

/** A page as the request wants to see it; what is text is copied from where it is stored. */
export function listed(view: View, page: Page): Answered {
  return view.presentation.as?.kind === "Table" ? new TableAnswer(view, page) : new ListAnswer(view, page);
}

abstract class PageAnswer implements Answered, ObjectText {
  readonly status = 200;
  protected readonly view: View;
  protected readonly page: Page;
  /** Without anything in it. */
  protected readonly empty: JsonObject;

  constructor(view: View, page: Page) {
    this.view = view;
    this.page = page;
    this.empty = this.of([]);
  }

  get value(): JsonObject {
    return this.of(this.page.items.map(({ object }) => object));
  }

  get written(): ObjectText {
    return this;
  }

  get metadata(): ObjectText["metadata"] {
    return this.page.metadata;
  }

  abstract json(): Uint8Array;

  protected of(objects: readonly JsonObject[]): JsonObject {
    return presentList(this.view, objects, this.page.metadata);
  }

  /** Its text up to the list that is its last field. */
  protected beginning(): string {
    return jsonText(this.empty).slice(0, -"]}".length);
  }
}

const ENDING = "]}\n";

class ListAnswer extends PageAnswer {
  json(): Uint8Array {
    const form = this.#form();
    const parts = this.page.items.map((item): Part => {
      if (item.entry !== undefined && form.fits(item.entry)) return { lead: "", entry: item.entry };
      return { lead: jsonText((this.of([item.object])["items"] as readonly JsonObject[])[0]) };
    });
    return pieced({ begin: this.beginning(), parts, form, trail: "", end: ENDING });
  }

  protobuf(): Uint8Array {
    const { items } = this.page;
    if (this.view.presentation.as !== undefined) return encodeProtobuf(this.of(items.map(readOnce)));
    const stored = items.map((item) => ({ key: item.entry ?? item.object, read: () => readOnce(item) }));
    return encodeProtobufList(this.empty, stored);
  }

  #form(): Form {
    const { resource, presentation } = this.view;
    if (presentation.as !== undefined) return metadataForm(presentation.as.version);
    // Items of built-in kinds do not say what they are: the list does.
    return resource.typed ? plainForm(`{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",`) : wholeForm;
  }
}

class TableAnswer extends PageAnswer {
  json(): Uint8Array {
    const { resource, presentation, include } = this.view;
    // Columns of custom resources may be about anything.
    const read = resource.typed ? readBriefly : readOnce;
    const rows = this.page.items.map((item) => ({ item, object: read(item) }));
    const parts = inOrder(rows, ({ object }) => object, resource).map(({ item, object }): Part => {
      const lead = `${jsonText(row(resource, object, this.view)).slice(0, -"}".length)},"object":`;
      if (include === "None") return { lead: `${lead}null` };
      return item.entry === undefined ? { lead: `${lead}${jsonText(this.#shown(item.object))}` } : { lead, entry: item.entry };
    });
    const form = include === "Object" ? wholeForm : metadataForm(presentation.as?.version ?? "v1");
    return pieced({ begin: this.beginning(), parts, form, trail: "}", end: ENDING });
  }

  #shown(object: JsonObject): unknown {
    return (this.of([object])["rows"] as readonly JsonObject[])[0]?.["object"];
  }
}

/** For whoever takes from it what it needs, and does not come back. */
function readOnce(item: Viewed): JsonObject {
  return item.entry?.read() ?? item.object;
}

function readBriefly(item: Viewed): JsonObject {
  return item.entry?.readBrief() ?? item.object;
}
