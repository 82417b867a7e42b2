/** An operator with `count` controllers. Prints "starting" first, and "reconciled" when every object has been reconciled once. */
import { controller, run } from "pintle";
import { defineSampleKind } from "./sample-kind.ts";

const [count = 0, objects = 0] = process.argv.slice(2, 4).map(Number);
const pending = new Set<string>();
for (let i = 0; i < count; i++) for (let j = 0; j < objects; j++) pending.add(`${i}/thing-${j}`);
console.log("starting");
const controllers = Array.from({ length: count }, (_, i) =>
  controller(defineSampleKind(i), {
    reconcile({ object, want }) {
      if (pending.delete(`${i}/${object.metadata.name}`) && pending.size === 0) console.log("reconciled");
      return want({ status: { observedSize: object.spec.size } });
    },
  }),
);
await run({ controllers });
