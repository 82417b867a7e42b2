/** Small controllers for checks that the Memcached operator gives no reason for; each watches a namespace of its own. */
import { allow, type Controller, controller, defineResource, z } from "pintle";
import { ConfigMap } from "pintle/kinds/core/v1";

export const Note = defineResource({ group: "notes.example.com", version: "v1", kind: "Note", spec: z.object({ text: z.string() }) });

export const throwing = controller(Note, {
  name: "throwing",
  reconcile({ object: { spec } }) {
    if (spec.text === "broken") throw new TypeError("the text is broken");
  },
});

export const picky = controller(Note, { name: "picky", when: (old, now) => old?.spec.text !== now?.spec.text, reconcile() {} });

export const copying = controller(Note, {
  name: "copying",
  owns: [ConfigMap],
  reconcile: ({ object: { metadata, spec }, want }) =>
    want({ children: { text: ConfigMap.desired({ metadata: { name: metadata.name }, data: { text: spec.text } }) } }),
});

/** A controller whose first run lasts until `open` is called. */
export interface Gate {
  /** Resolves when the first run has begun. */
  readonly entered: Promise<void>;
  /** Resolves when the operator has seen a changed text and two pages. */
  readonly seen: Promise<void>;
  open(): void;
}

/** `slow` holds its key, so that events are merged meanwhile; `witness` tells when they have arrived at the same operator. */
export function createSlow(): { readonly slow: Controller; readonly witness: Controller; readonly gate: Gate } {
  const [entered, seen, opened] = [createSignal(), createSignal(), createSignal()];
  const watches = { pages: { kind: ConfigMap, by: { label: "note" } } };
  const needs = [allow(ConfigMap, "list")];
  const slow = controller(Note, {
    name: "slow",
    watches,
    needs,
    async reconcile() {
      entered.send();
      await opened.sent;
    },
  });
  const witness = controller(Note, {
    name: "witness",
    watches,
    needs,
    reconcile({ object: { spec }, related }) {
      if (spec.text === "two" && related.pages.length === 2) seen.send();
    },
  });
  return { slow, witness, gate: { entered: entered.sent, seen: seen.sent, open: opened.send } };
}

function createSignal() {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send: () => send() };
}

/** Wants its own name in the same field of a ConfigMap that others want, too; gives up after some rounds. */
export function createFighter(name: string, rounds: number): Controller {
  let left = rounds;
  return controller(Note, {
    name,
    watches: { pages: { kind: ConfigMap, by: { label: "note" } } },
    needs: [allow(ConfigMap, "list", "patch")],
    async reconcile({ related, client }) {
      for (const { metadata, data } of related.pages) {
        if (data?.["owner"] === name || left-- <= 0) continue;
        await client.patch(ConfigMap, metadata, { merge: { data: { owner: name } } });
      }
    },
  });
}
